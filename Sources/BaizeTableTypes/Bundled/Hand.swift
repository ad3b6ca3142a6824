extension BundledTableTypes {
  /// `Protocol/table-types/hand.json`, word for word.
  static let hand = #"""
    {
      "baize": 1,
      "name": "hand",
      "title": "Rummy",
      "seats": { "min": 2, "max": { "option": "players" } },
      "turns": "turns",
      "undo": false,
      "contention": "first",
      "mixedSources": false,

      "options": {
        "players": { "type": "integer", "min": 2, "max": 6, "default": 2 }
      },

      "variables": {
        "drawn": 0,
        "turned": 0
      },

      "checks": {
        "hasDrawn": [
          {
            "require": { "equal": [{ "variable": "drawn" }, { "actor": "seat" }] },
            "else": "MUST_DRAW",
            "detail": "A turn begins with drawing a card."
          }
        ],
        "hasNotDrawn": [
          {
            "require": { "unequal": [{ "variable": "drawn" }, { "actor": "seat" }] },
            "else": "ALREADY_DRAWN",
            "detail": "One card is drawn in a turn."
          }
        ],
        "threeAtLeast": [
          {
            "require": { "atMost": [3, { "sum": [{ "count": "sources" }, { "count": "destination" }] }] },
            "else": "MELD_TOO_SHORT",
            "detail": "A meld has three cards at least."
          }
        ]
      },

      "collections": [
        {
          "kind": "stock",
          "faces": "down",
          "lift": { "shape": "top" },
          "accept": "closed"
        },
        {
          "kind": "discard",
          "lift": { "shape": "top" },
          "accept": {
            "from": ["hand"],
            "landing": "end",
            "conditions": [
              {
                "require": { "equal": [{ "count": "sources" }, 1] },
                "else": "TOO_MANY_ITEMS",
                "detail": "One card is discarded."
              },
              { "use": "hasDrawn" }
            ],
            "then": [{ "set": { "drawn": 0 } }],
            "passesTurn": true
          }
        },
        {
          "kind": "hand",
          "family": { "seats": "all" },
          "faces": "owner",
          "private": true,
          "accept": {
            "from": ["stock", "discard"],
            "conditions": [
              {
                "require": {
                  "any": [
                    { "equal": [{ "source": "seat" }, { "destination": "seat" }] },
                    { "unequal": [{ "variable": "drawn" }, { "actor": "seat" }] }
                  ]
                },
                "else": "ALREADY_DRAWN",
                "detail": "One card is drawn in a turn."
              }
            ],
            "then": [{ "set": { "drawn": { "actor": "seat" } } }]
          }
        },
        {
          "kind": "set",
          "family": { "from": 1, "to": 13, "as": "rank" },
          "lift": "none",
          "accept": {
            "from": ["hand"],
            "landing": "end",
            "conditions": [{ "use": "hasDrawn" }, { "use": "threeAtLeast" }],
            "each": [
              {
                "require": { "equal": [{ "item": "rank" }, { "destination": "rank" }] },
                "else": "RANK_MISMATCH",
                "detail": "A set has cards of one rank."
              }
            ]
          }
        },
        {
          "kind": "run",
          "family": { "from": 0, "to": 15 },
          "lift": "none",
          "accept": {
            "from": ["hand"],
            "conditions": [{ "use": "hasDrawn" }, { "use": "threeAtLeast" }],
            "pairs": [
              {
                "require": { "equal": [{ "item": "suit" }, { "below": "suit" }] },
                "else": "WRONG_SUIT",
                "detail": "A run has cards of one suit."
              },
              {
                "require": { "equal": [{ "item": "rank" }, { "sum": [{ "below": "rank" }, 1] }] },
                "else": "RANK_MISMATCH",
                "detail": "A run goes up rank by rank."
              }
            ]
          }
        }
      ],

      "actions": {
        "draw": {
          "cases": [
            {
              "when": { "less": [0, { "count": { "of": "stock" } }] },
              "conditions": [{ "use": "hasNotDrawn" }],
              "steps": [
                { "deal": { "from": "stock", "to": "hand/{seat}", "count": 1 } },
                { "set": { "drawn": { "actor": "seat" } } }
              ]
            },
            {
              "when": { "less": [0, { "count": { "of": "discard" } }] },
              "conditions": [{ "use": "hasNotDrawn" }],
              "steps": [
                { "deal": { "from": "discard", "to": "stock" } },
                { "set": { "turned": { "sum": [{ "variable": "turned" }, 1] } } },
                { "deal": { "from": "stock", "to": "hand/{seat}", "count": 1 } },
                { "set": { "drawn": { "actor": "seat" } } }
              ]
            }
          ],
          "else": "STOCK_EMPTY",
          "detail": "There is nothing left to draw."
        }
      },

      "endings": [
        { "when": { "equal": [{ "count": { "of": "hand/{seat}" } }, 0] }, "status": "won-{seat}" },
        { "when": { "equal": [{ "variable": "turned" }, 4] }, "status": "blocked" }
      ],

      "setUp": [
        {
          "product": { "suit": ["clubs", "diamonds", "hearts", "spades"], "rank": { "from": 1, "to": 13 } },
          "shuffle": true,
          "deal": [
            { "to": "hand", "count": 7 },
            { "to": "discard", "count": 1 },
            { "to": "stock" }
          ]
        }
      ]
    }

    """#
}
