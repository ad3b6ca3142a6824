extension BundledTableTypes {
  /// `Protocol/table-types/grid.json`, word for word.
  static let grid = #"""
    {
      "baize": 1,
      "name": "grid",
      "title": "Grid",
      "seats": { "max": 64 },
      "contention": "last",

      "collections": [
        {
          "kind": "c",
          "family": { "from": 0, "to": 12 }
        }
      ],

      "setUp": [
        { "numbered": { "count": 52, "attribute": "number" }, "deal": [{ "to": "c", "count": 4 }] }
      ]
    }

    """#
}
