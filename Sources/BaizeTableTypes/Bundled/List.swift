extension BundledTableTypes {
  /// `Protocol/table-types/list.json`, word for word.
  static let list = #"""
    {
      "baize": 1,
      "name": "list",
      "title": "List",
      "seats": { "max": 64 },
      "contention": "last",
      "partialMoves": true,

      "options": {
        "items": { "type": "integer", "min": 0, "max": 1000000, "default": 0 }
      },

      "collections": [
        {
          "kind": "items",
          "updates": true,
          "lift": { "offers": ["move", "copy", "delete"] },
          "accept": { "operations": ["move", "copy"], "inserts": true }
        }
      ],

      "actions": {
        "pin": { "items": "subject", "cases": [{ "steps": [{ "pin": true }] }] },
        "unpin": { "items": "subject", "cases": [{ "steps": [{ "pin": false }] }] }
      },

      "setUp": [
        { "numbered": { "count": { "option": "items" }, "attribute": "number" }, "deal": [{ "to": "items" }] }
      ]
    }

    """#
}
