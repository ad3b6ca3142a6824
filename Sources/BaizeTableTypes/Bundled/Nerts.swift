extension BundledTableTypes {
  /// `Protocol/table-types/nerts.json`, word for word.
  static let nerts = #"""
    {
      "baize": 1,
      "name": "nerts",
      "title": "Nerts",
      "seats": { "min": 2, "max": { "option": "players" } },
      "turns": "zones",
      "undo": false,
      "contention": "first",
      "mixedSources": false,

      "options": {
        "players": { "type": "integer", "min": 2, "max": 6, "default": 2 },
        "draw": { "type": "choice", "values": [1, 3], "default": 3 }
      },

      "groups": {
        "colour": { "red": ["hearts", "diamonds"], "black": ["clubs", "spades"] }
      },

      "variables": {
        "score/{seat}": -26,
        "stuck/{seat}": 0
      },

      "checks": {
        "alternatingDown": [
          {
            "require": {
              "unequal": [{ "group": "colour", "of": { "item": "suit" } }, { "group": "colour", "of": { "below": "suit" } }]
            },
            "else": "COLOR_MISMATCH",
            "detail": "Red goes on black, and black on red."
          },
          {
            "require": { "equal": [{ "sum": [{ "item": "rank" }, 1] }, { "below": "rank" }] },
            "else": "RANK_MISMATCH",
            "detail": "A card goes on one that is one rank higher."
          }
        ],
        "oneCard": [
          {
            "require": { "equal": [{ "count": "sources" }, 1] },
            "else": "TOO_MANY_ITEMS",
            "detail": "One card at a time."
          }
        ]
      },

      "collections": [
        {
          "kind": "foundation",
          "family": { "seats": "all", "owned": false, "from": 0, "to": 3 },
          "lift": "none",
          "accept": {
            "landing": "end",
            "conditions": [{ "use": "oneCard" }],
            "onEmpty": [
              {
                "require": { "equal": [{ "item": "rank" }, 1] },
                "else": "RANK_MISMATCH",
                "detail": "A foundation starts with an ace."
              }
            ],
            "onItem": [
              {
                "require": { "equal": [{ "item": "suit" }, { "below": "suit" }] },
                "else": "WRONG_SUIT",
                "detail": "This foundation is another suit's."
              },
              {
                "require": { "equal": [{ "item": "rank" }, { "sum": [{ "below": "rank" }, 1] }] },
                "else": "RANK_MISMATCH",
                "detail": "A foundation goes up rank by rank."
              }
            ],
            "then": [
              { "set": { "score/{seat}": { "sum": [{ "variable": "score/{seat}" }, 1] } } },
              { "set": { "stuck/{seat}": 0 } }
            ]
          }
        },
        {
          "kind": "nerts",
          "family": { "seats": "all" },
          "faces": "each",
          "exposed": "turn",
          "lift": {
            "shape": "top",
            "then": [{ "set": { "score/{seat}": { "sum": [{ "variable": "score/{seat}" }, 2] } } }]
          },
          "accept": "closed"
        },
        {
          "kind": "work",
          "family": { "seats": "all", "from": 0, "to": 3 },
          "lift": {
            "shape": "run",
            "pairs": [{ "use": "alternatingDown", "else": "NOT_A_RUN", "detail": "These cards are no run." }]
          },
          "accept": {
            "landing": "end",
            "onItem": [{ "use": "alternatingDown" }],
            "then": [{ "set": { "stuck/{seat}": 0 } }]
          }
        },
        {
          "kind": "stock",
          "family": { "seats": "all" },
          "faces": "down",
          "lift": "none",
          "accept": "closed"
        },
        {
          "kind": "waste",
          "family": { "seats": "all" },
          "lift": { "shape": "top", "conditions": [{ "use": "oneCard" }] },
          "accept": "closed"
        }
      ],

      "actions": {
        "draw": {
          "cases": [
            {
              "when": {
                "all": [
                  { "less": [0, { "count": { "of": "stock/{seat}" } }] },
                  { "everySeat": { "equal": [{ "variable": "stuck/{seat}" }, 1] } }
                ]
              },
              "steps": [{ "deal": { "from": "stock/{seat}", "to": "waste/{seat}", "count": 1 } }]
            },
            {
              "when": { "less": [0, { "count": { "of": "stock/{seat}" } }] },
              "steps": [{ "deal": { "from": "stock/{seat}", "to": "waste/{seat}", "count": { "option": "draw" } } }]
            },
            {
              "when": { "less": [0, { "count": { "of": "waste/{seat}" } }] },
              "steps": [{ "deal": { "from": "waste/{seat}", "to": "stock/{seat}" } }]
            }
          ],
          "else": "STOCK_EMPTY",
          "detail": "There is nothing left to draw."
        },
        "stuck": {
          "cases": [{ "steps": [{ "set": { "stuck/{seat}": 1 } }] }]
        }
      },

      "endings": [
        { "when": { "equal": [{ "count": { "of": "nerts/{seat}" } }, 0] }, "status": "nerts-{seat}" }
      ],

      "setUp": [
        {
          "product": { "suit": ["clubs", "diamonds", "hearts", "spades"], "rank": { "from": 1, "to": 13 } },
          "perSeat": "deck",
          "shuffle": true,
          "deal": [
            { "to": "nerts/{seat}", "count": 13, "up": "last" },
            { "to": "work/{seat}", "count": 1 },
            { "to": "stock/{seat}" }
          ]
        }
      ]
    }

    """#
}
