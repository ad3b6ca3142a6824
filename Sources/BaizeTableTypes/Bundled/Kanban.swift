extension BundledTableTypes {
  /// `Protocol/table-types/kanban.json`, word for word.
  static let kanban = #"""
    {
      "baize": 1,
      "name": "kanban",
      "title": "Kanban",
      "seats": { "max": 32 },
      "contention": "last",
      "partialMoves": true,

      "options": {
        "doing": { "type": "integer", "min": 1, "max": 1000, "default": 3 },
        "cards": { "type": "integer", "min": 0, "max": 1000, "default": 0 }
      },

      "collections": [
        {
          "kind": "todo",
          "updates": true,
          "lift": { "offers": ["move", "delete"] },
          "accept": { "inserts": true }
        },
        {
          "kind": "doing",
          "updates": true,
          "accept": { "capacity": { "max": { "option": "doing" }, "partial": true } }
        },
        {
          "kind": "done",
          "updates": true,
          "lift": { "offers": ["move", "delete"] }
        }
      ],

      "setUp": [
        { "numbered": { "count": { "option": "cards" }, "attribute": "number" }, "deal": [{ "to": "todo" }] }
      ]
    }

    """#
}
