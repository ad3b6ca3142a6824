/**
 * The languages of the operator's page: a sentence in English, and in German, Spanish and French. What the daemon answers stays as it is.
 * The browser chooses; nothing is stored.
 */

const LANGUAGES = ['de', 'es', 'fr'];

/** The translations of each sentence, in the order of the languages. */
export const WORDS = {
  'Baize: operator': ['Baize: Betrieb', 'Baize: administración', 'Baize : exploitation'],
  'Token': ['Token', 'Token', 'Jeton'],
  'Open': ['Öffnen', 'Abrir', 'Ouvrir'],
  'Search': ['Suchen', 'Buscar', 'Rechercher'],
  'Sort by': ['Sortieren nach', 'Ordenar por', 'Trier par'],
  'name': ['Name', 'nombre', 'nom'],
  'members': ['Mitgliedern', 'miembros', 'membres'],
  'operations per second': ['Operationen pro Sekunde', 'operaciones por segundo', 'opérations par seconde'],
  'memory': ['Speicher', 'memoria', 'mémoire'],
  'Previous page': ['Vorige Seite', 'Página anterior', 'Page précédente'],
  'Next page': ['Nächste Seite', 'Página siguiente', 'Page suivante'],
  'Drain the daemon': ['Daemon beenden', 'Detener el daemon', 'Arrêter le daemon'],
  'Table': ['Tisch', 'Mesa', 'Table'],
  'Type': ['Art', 'Tipo', 'Type'],
  'Status': ['Stand', 'Estado', 'État'],
  'Members': ['Mitglieder', 'Miembros', 'Membres'],
  'Sessions': ['Sitzungen', 'Sesiones', 'Sessions'],
  'Items': ['Einträge', 'Elementos', 'Éléments'],
  'Revision': ['Revision', 'Revisión', 'Révision'],
  'Op/s': ['Op/s', 'Op/s', 'Op/s'],
  'KiB': ['KiB', 'KiB', 'Kio'],
  'Watch': ['Zusehen', 'Mirar', 'Regarder'],
  'Export as JSON': ['Als JSON exportieren', 'Exportar como JSON', 'Exporter en JSON'],
  'Close': ['Schließen', 'Cerrar', 'Fermer'],
  'Delete': ['Löschen', 'Eliminar', 'Supprimer'],
  'The daemon answers with status {status}.': ['Der Daemon antwortet mit Status {status}.', 'El daemon responde con el estado {status}.', 'Le daemon répond avec l’état {status}.'],
  '{type} (older document)': ['{type} (älteres Dokument)', '{type} (documento anterior)', '{type} (document antérieur)'],
  'no tables in memory': ['keine Tische im Speicher', 'no hay mesas en memoria', 'aucune table en mémoire'],
  'tables {first} to {last} of {total}': ['Tische {first} bis {last} von {total}', 'mesas {first} a {last} de {total}', 'tables {first} à {last} sur {total}'],
  '{address}: {memory}, tables: {tables}, written: {written}, connections: {connections}': ['{address}: {memory}, Tische: {tables}, geschrieben: {written}, Verbindungen: {connections}', '{address}: {memory}, mesas: {tables}, escrito: {written}, conexiones: {connections}', '{address} : {memory}, tables : {tables}, écrit : {written}, connexions : {connections}'],
  '{memory} of {limit} taken ({mark}); connections: {connections}.': ['{memory} von {limit} belegt ({mark}); Verbindungen: {connections}.', '{memory} de {limit} en uso ({mark}); conexiones: {connections}.', '{memory} sur {limit} utilisés ({mark}) ; connexions : {connections}.'],
  'Kick': ['Entfernen', 'Expulsar', 'Exclure'],
  'Kick seat {number}, {name}': ['Platz {number} entfernen, {name}', 'Expulsar el sitio {number}, {name}', 'Exclure la place {number}, {name}'],
  'End the session of {name}?': ['Die Sitzung von {name} beenden?', '¿Terminar la sesión de {name}?', 'Terminer la session de {name} ?'],
  'Seat {number}: {name}': ['Platz {number}: {name}', 'Sitio {number}: {name}', 'Place {number} : {name}'],
  'The connection to the table was lost. Watch it again to go on.': ['Die Verbindung zum Tisch ist abgebrochen. Sieh wieder zu, um fortzufahren.', 'Se ha perdido la conexión con la mesa. Vuelve a mirarla para continuar.', 'La connexion à la table est perdue. Regardez-la de nouveau pour continuer.'],
  'hidden': ['verdeckt', 'oculto', 'caché'],
  'item {id}': ['Eintrag {id}', 'elemento {id}', 'élément {id}'],
  'Stop the daemon? Every client is asked to come back in a moment.': ['Den Daemon beenden? Alle Clients werden gebeten, gleich wiederzukommen.', '¿Detener el daemon? Se pide a todos los clientes que vuelvan en un momento.', 'Arrêter le daemon ? Tous les clients sont priés de revenir dans un instant.'],
  'End all sessions of {name}?': ['Alle Sitzungen von {name} beenden?', '¿Terminar todas las sesiones de {name}?', 'Terminer toutes les sessions de {name} ?'],
  'Delete {name} with its history?': ['{name} mit der Geschichte löschen?', '¿Eliminar {name} con su historial?', 'Supprimer {name} avec son historique ?'],
  'normal': ['normal', 'normal', 'normal'],
  'refusing': ['nimmt nichts Neues an', 'no acepta nada nuevo', 'n’accepte rien de neuf'],
  'shedding': ['gibt Entbehrliches frei', 'libera lo prescindible', 'libère le superflu'],
  'disconnecting': ['trennt Verbindungen', 'corta conexiones', 'coupe des connexions'],
};

/** The languages of the browser, what is liked best first; none outside of one. */
const wished = globalThis.navigator?.languages ?? [];

export const language = wished.map((one) => one.split('-')[0]).find((one) => one === 'en' || LANGUAGES.includes(one)) ?? 'en';

/** How the browser writes numbers: as in the operator's country, if the page speaks its language. */
const locale = wished.find((one) => one.split('-')[0] === language) ?? language;

/** Returns a sentence in the page's language; `{name}` in it is the value of that name. */
export function say(text, values = {}) {
  const translated = (Object.hasOwn(WORDS, text) && WORDS[text][LANGUAGES.indexOf(language)]) || text;
  return translated.replace(/\{(\w+)\}/g, (whole, name) => (Object.hasOwn(values, name) ? values[name] : whole));
}

/** Returns a number as it is written in the page's language. */
export const count = (number, digits = 0) => new Intl.NumberFormat(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(number);
