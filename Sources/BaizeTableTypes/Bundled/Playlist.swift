extension BundledTableTypes {
  /// `Protocol/table-types/playlist.json`, word for word.
  static let playlist = #"""
    {
      "baize": 1,
      "name": "playlist",
      "title": "Playlist",
      "seats": { "max": 16 },
      "contention": "last",
      "partialMoves": true,

      "collections": [
        {
          "kind": "library",
          "lift": { "offers": ["copy"] },
          "accept": "closed"
        },
        {
          "kind": "queue",
          "lift": { "offers": ["move", "delete"] },
          "accept": {
            "operations": ["move", "copy"],
            "inserts": true,
            "contentTypes": ["audio/x-song", "text/plain"]
          }
        },
        {
          "kind": "bin",
          "lift": "none",
          "accept": { "operations": ["delete"] }
        }
      ],

      "setUp": [
        {
          "items": [
            {
              "attributes": { "title": "Greensleeves", "artist": "Traditional" },
              "representations": [
                { "contentType": "audio/x-song", "text": "song:greensleeves" },
                { "contentType": "text/plain", "text": "Greensleeves (Traditional)" }
              ]
            },
            {
              "attributes": { "title": "The Parting Glass", "artist": "Traditional" },
              "representations": [
                { "contentType": "audio/x-song", "text": "song:the-parting-glass" },
                { "contentType": "text/plain", "text": "The Parting Glass (Traditional)" }
              ]
            },
            {
              "attributes": { "title": "Für Elise", "artist": "Ludwig van Beethoven" },
              "representations": [
                { "contentType": "audio/x-song", "text": "song:fur-elise" },
                { "contentType": "text/plain", "text": "Für Elise (Ludwig van Beethoven)" }
              ]
            },
            {
              "attributes": { "title": "Gymnopédie No. 1", "artist": "Erik Satie" },
              "representations": [
                { "contentType": "audio/x-song", "text": "song:gymnopedie-no-1" },
                { "contentType": "text/plain", "text": "Gymnopédie No. 1 (Erik Satie)" }
              ]
            },
            {
              "attributes": { "title": "Maple Leaf Rag", "artist": "Scott Joplin" },
              "representations": [
                { "contentType": "audio/x-song", "text": "song:maple-leaf-rag" },
                { "contentType": "text/plain", "text": "Maple Leaf Rag (Scott Joplin)" }
              ]
            },
            {
              "attributes": { "title": "The Entertainer", "artist": "Scott Joplin" },
              "representations": [
                { "contentType": "audio/x-song", "text": "song:the-entertainer" },
                { "contentType": "text/plain", "text": "The Entertainer (Scott Joplin)" }
              ]
            }
          ],
          "deal": [{ "to": "library" }]
        }
      ]
    }

    """#
}
