extension BundledTableTypes {
  /// `Protocol/table-types/klondike.json`, word for word.
  static let klondike = #"""
    {
      "baize": 1,
      "name": "klondike",
      "title": "Klondike",
      "seats": { "max": 4 },
      "contention": "first",
      "mixedSources": false,

      "options": {
        "draw": { "type": "choice", "values": [1, 3], "default": 1 },
        "redeals": { "type": "integer", "min": -1, "max": 1000, "default": -1 },
        "emptyPile": { "type": "choice", "values": ["king", "any"], "default": "king" },
        "foundationToTableau": { "type": "boolean", "default": true }
      },

      "groups": {
        "colour": { "red": ["hearts", "diamonds"], "black": ["clubs", "spades"] }
      },

      "variables": {
        "redeals": { "option": "redeals" }
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
          "kind": "pile",
          "family": { "from": 0, "to": 6 },
          "faces": "each",
          "exposed": "turn",
          "lift": {
            "shape": "run",
            "each": [
              { "require": { "faceUp": "item" }, "else": "FACE_DOWN", "detail": "This card lies face down." }
            ],
            "pairs": [{ "use": "alternatingDown", "else": "NOT_A_RUN", "detail": "These cards are no run." }]
          },
          "accept": {
            "landing": "end",
            "onEmpty": [
              {
                "require": { "equal": [{ "item": "rank" }, 13] },
                "else": "KING_REQUIRED",
                "detail": "An empty pile takes a king.",
                "if": { "option": "emptyPile", "is": "king" }
              }
            ],
            "onItem": [{ "use": "alternatingDown" }]
          }
        },
        {
          "kind": "stock",
          "faces": "down",
          "lift": "none",
          "accept": "closed"
        },
        {
          "kind": "waste",
          "lift": { "shape": "top", "conditions": [{ "use": "oneCard" }] },
          "accept": "closed"
        },
        {
          "kind": "foundation",
          "family": { "each": ["clubs", "diamonds", "hearts", "spades"], "as": "suit" },
          "lift": {
            "shape": "top",
            "conditions": [
              {
                "require": false,
                "else": "NOT_REORDERABLE",
                "detail": "What lies on a foundation stays there.",
                "if": { "option": "foundationToTableau", "is": false }
              }
            ]
          },
          "accept": {
            "landing": "end",
            "conditions": [
              { "use": "oneCard" },
              {
                "require": { "equal": [{ "item": "suit" }, { "destination": "suit" }] },
                "else": "WRONG_SUIT",
                "detail": "This foundation is another suit's."
              }
            ],
            "onEmpty": [
              {
                "require": { "equal": [{ "item": "rank" }, 1] },
                "else": "RANK_MISMATCH",
                "detail": "A foundation starts with the ace."
              }
            ],
            "onItem": [
              {
                "require": { "equal": [{ "item": "rank" }, { "sum": [{ "below": "rank" }, 1] }] },
                "else": "RANK_MISMATCH",
                "detail": "A foundation goes up rank by rank."
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
              "steps": [{ "deal": { "from": "stock", "to": "waste", "count": { "option": "draw" } } }]
            },
            {
              "when": { "less": [0, { "count": { "of": "waste" } }] },
              "conditions": [
                {
                  "require": { "unequal": [{ "variable": "redeals" }, 0] },
                  "else": "NO_REDEAL",
                  "detail": "The stock has been dealt as often as it may be."
                }
              ],
              "steps": [
                { "deal": { "from": "waste", "to": "stock" } },
                {
                  "set": { "redeals": { "difference": [{ "variable": "redeals" }, 1] } },
                  "if": { "option": "redeals", "isNot": -1 }
                }
              ]
            }
          ],
          "else": "STOCK_EMPTY",
          "detail": "There is nothing left to draw."
        }
      },

      "endings": [
        { "when": { "equal": [{ "count": { "of": "foundation" } }, 52] }, "status": "won" }
      ],

      "setUp": [
        {
          "product": { "suit": ["clubs", "diamonds", "hearts", "spades"], "rank": { "from": 1, "to": 13 } },
          "shuffle": true,
          "deal": [
            { "to": "pile", "count": { "sum": [{ "destination": "index" }, 1] }, "up": "last" },
            { "to": "stock", "up": "none" }
          ]
        }
      ]
    }

    """#
}
