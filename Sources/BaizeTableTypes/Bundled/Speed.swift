extension BundledTableTypes {
  /// `Protocol/table-types/speed.json`, word for word.
  static let speed = #"""
    {
      "baize": 1,
      "name": "speed",
      "title": "Speed",
      "seats": { "min": 2, "max": 2 },
      "turns": "zones",
      "undo": false,
      "contention": "first",
      "mixedSources": false,

      "variables": {
        "stuck/{seat}": 0
      },

      "collections": [
        {
          "kind": "centre",
          "family": { "from": 1, "to": 2 },
          "lift": "none",
          "accept": {
            "from": ["hand"],
            "landing": "end",
            "conditions": [
              {
                "require": { "equal": [{ "count": "sources" }, 1] },
                "else": "TOO_MANY_ITEMS",
                "detail": "One card at a time."
              }
            ],
            "onItem": [
              {
                "require": { "oneOf": [{ "difference": [{ "item": "rank" }, { "below": "rank" }] }, [1, -1, 12, -12]] },
                "else": "RANK_MISMATCH",
                "detail": "A card goes on one that is one rank higher or lower."
              }
            ],
            "then": [{ "set": { "stuck/1": 0 } }, { "set": { "stuck/2": 0 } }]
          }
        },
        {
          "kind": "side",
          "family": { "from": 1, "to": 2 },
          "faces": "down",
          "lift": "none",
          "accept": "closed"
        },
        {
          "kind": "hand",
          "family": { "seats": "all" },
          "faces": "owner",
          "private": true,
          "accept": { "from": ["draw"], "capacity": { "max": 5 } }
        },
        {
          "kind": "draw",
          "family": { "seats": "all" },
          "faces": "down",
          "lift": { "shape": "top" },
          "accept": "closed"
        }
      ],

      "actions": {
        "draw": {
          "cases": [
            {
              "when": { "less": [0, { "count": { "of": "draw/{seat}" } }] },
              "conditions": [
                {
                  "require": { "less": [{ "count": { "of": "hand/{seat}" } }, 5] },
                  "else": "CAPACITY_EXCEEDED",
                  "detail": "A hand holds five cards."
                }
              ],
              "steps": [
                {
                  "deal": {
                    "from": "draw/{seat}",
                    "to": "hand/{seat}",
                    "count": { "difference": [5, { "count": { "of": "hand/{seat}" } }] }
                  }
                }
              ]
            }
          ],
          "else": "STOCK_EMPTY",
          "detail": "There is nothing left to draw."
        },
        "flip": {
          "cases": [
            {
              "when": {
                "equal": [{ "sum": [{ "variable": "stuck/1" }, { "variable": "stuck/2" }] }, { "variable": "stuck/{seat}" }]
              },
              "steps": [{ "set": { "stuck/{seat}": 1 } }]
            },
            {
              "when": { "less": [0, { "count": { "of": "side" } }] },
              "steps": [
                { "deal": { "from": "side/1", "to": "centre/1", "count": 1 } },
                { "deal": { "from": "side/2", "to": "centre/2", "count": 1 } },
                { "set": { "stuck/1": 0 } },
                { "set": { "stuck/2": 0 } }
              ]
            },
            {
              "steps": [
                { "deal": { "from": "centre/1", "to": "side/1" } },
                { "deal": { "from": "centre/2", "to": "side/2" } },
                { "shuffle": "side/1" },
                { "shuffle": "side/2" },
                { "deal": { "from": "side/1", "to": "centre/1", "count": 1 } },
                { "deal": { "from": "side/2", "to": "centre/2", "count": 1 } },
                { "set": { "stuck/1": 0 } },
                { "set": { "stuck/2": 0 } }
              ]
            }
          ]
        }
      },

      "endings": [
        {
          "when": { "equal": [{ "count": { "of": ["hand/{seat}", "draw/{seat}"] } }, 0] },
          "status": "won-{seat}"
        }
      ],

      "setUp": [
        {
          "product": { "suit": ["clubs", "diamonds", "hearts", "spades"], "rank": { "from": 1, "to": 13 } },
          "shuffle": true,
          "deal": [
            { "to": "hand", "count": 5 },
            { "to": "draw", "count": 15 },
            { "to": "side", "count": 5 },
            { "to": "centre", "count": 1 }
          ]
        }
      ]
    }

    """#
}
