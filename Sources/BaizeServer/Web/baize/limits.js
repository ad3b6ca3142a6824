/**
 * The limits that the library knows (rules L2–L4 of Protocol/limits.md). What exceeds one of them is refused before it is
 * sent, so that a mistake of the app costs it one operation and never its session.
 */

/** Ids and counters are below 2⁵³ (F8): a number has them exactly. */
export const ID_MAX = Number.MAX_SAFE_INTEGER;
/** Provisional ids begin here (O10). */
export const PROVISIONAL = 2 ** 52;
/** The number of items that one operation may make under provisional ids. */
export const PROVISIONAL_NUMBERS_MAX = 2 ** 12;
/** From this handle on are those of collections that only this client knows, which pending operations open (Q8). */
export const PROVISIONAL_HANDLES = 2 ** 31;
/** Operations from this number on cannot be named by provisional ids (O10). */
export const PROVISIONAL_SEQ_MAX = 2 ** 40;

export const ITEMS_PER_OPERATION_MAX = 500;
/** The most items that a count with a condition looks at. A count of more has no value. */
export const COUNTED_ITEMS_MAX = 500;
/** The longest text, in UTF-8 bytes, that steps read of a moved item. */
export const STEP_TEXT_BYTES_MAX = 256;
export const STEP_ITEMS_MAX = 500;
export const ITEMS_PER_TABLE_MAX = 2_000_000;
export const ALIASES_PER_ITEM_MAX = 32;
export const ALIASES_PER_TABLE_MAX = 10_000;
export const DRAG_ITEMS_MAX = 500;

/** Vacant positions are kept for so many revisions, as by the daemon, and as many at most (N6). */
export const POSITIONS_REVISIONS_MAX = 1_024;
export const POSITIONS_MAX = 1 << 16;
/** The number of positions of a gap that are looked at (N4). */
export const POSITIONS_PER_GAP_MAX = 500;

export const ATTRIBUTES_PER_ITEM_MAX = 64;
export const REPRESENTATIONS_PER_ITEM_MAX = 16;
export const ATTRIBUTE_NAME_BYTES_MAX = 64;
export const ATTRIBUTE_TEXT_BYTES_MAX = 16 << 10;
export const CONTENT_TYPE_BYTES_MAX = 128;
export const ACTION_BYTES_MAX = 64;
export const TABLE_TYPE_BYTES_MAX = 1 << 10;
export const NAME_BYTES_MAX = 64;
export const INVITE_BYTES_MAX = 128;
export const SIGNED_TOKEN_BYTES_MAX = 4 << 10;
export const PRESENCE_BYTES_MAX = 256;
export const CHAT_KIND_BYTES_MAX = 32;
export const CHAT_TEXT_BYTES_MAX = 1 << 10;
export const DETAIL_CHARACTERS_MAX = 100;

/** The maximum size of a message from the daemon. */
export const SERVER_MESSAGE_BYTES_MAX = 4 << 20;
/** The maximum size of a client's message until the welcome names one. */
export const HELLO_BYTES_MAX = 16 << 10;

/** Bounds on what a daemon can make the library keep besides items. */
export const COLLECTIONS_MAX = 1 << 16;
/** The largest number of collections that items of a table ever open (Q5). */
export const OPENED_HANDLES_MAX = 1 << 17;
export const VARIABLES_MAX = 1 << 16;
export const SEATS_MAX = 1 << 12;
export const DRAGS_MAX = 1 << 12;
export const PRESENCES_MAX = 1 << 12;

/** The size and depth of a table type's document, and what it may hold (table-types.md). */
export const DOCUMENT_CHARACTERS_MAX = 256 << 10;
export const DOCUMENT_DEPTH_MAX = 64;
export const DOCUMENT_CONDITIONS_MAX = 4096;
export const DOCUMENT_SEATS_MAX = 256;

/** The interval between two sent movements of a drag, and the rest after which the last is sent once more, in ms. */
export const DRAG_MOVE_INTERVAL = 34;
export const DRAG_REST = 250;
/** The interval between two sent values of presence, in ms. */
export const PRESENCE_INTERVAL = 50;

/** Connections in a row that end with MALFORMED or FRAME_TOO_LARGE before the client gives up, and the ms between two of them. */
export const UNREADABLE_CONNECTIONS_MAX = 8;
export const UNREADABLE_INTERVAL = 300_000;
