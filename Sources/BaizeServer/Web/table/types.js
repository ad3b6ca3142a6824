/** The bundled table types as the start page offers them. The daemon has their rules. */

/** The games of which `rules.js` says how they are played. */
export const GAMES = new Set(['klondike', 'hand', 'hearts', 'speed', 'nerts']);

export const TYPES = [
  { name: 'kanban', title: 'Kanban', text: 'Cards in columns that you make', options: [choice('columns', 'Columns', [['made', 'that you make'], ['fixed', 'three, fixed']]), number('doing', 'Cards in progress, at most', 1, 20, 3)] },
  { name: 'board', title: 'Team board', text: 'Five columns, roles and limits', options: [number('each', 'Cards per person, at most', 1, 20, 2)] },
  { name: 'list', title: 'List', text: 'One list, in the order you like', options: [] },
  { name: 'playlist', title: 'Playlist', text: 'A library, and what plays next', options: [] },
  { name: 'klondike', title: 'Klondike', text: 'Solitaire, together', options: [choice('draw', 'Draw', [[1, 'one card'], [3, 'three cards']])] },
  { name: 'hand', title: 'Rummy', text: '2 to 6 players, in turns', options: [number('players', 'Players', 2, 6, 2)] },
  { name: 'hearts', title: 'Hearts', text: '4 players, tricks', options: [number('score', 'Until somebody has', 1, 500, 100)] },
  { name: 'speed', title: 'Speed', text: '2 players, both at once', options: [] },
  { name: 'nerts', title: 'Nerts', text: '2 to 6 players, a race', options: [number('players', 'Players', 2, 6, 2), choice('draw', 'Draw', [[3, 'three cards'], [1, 'one card']])] },
  { name: 'grid', title: 'Grid', text: 'Thirteen columns to try things', options: [] },
];

function number(name, label, min, max, value) {
  return { name, label, min, max, value };
}

function choice(name, label, values) {
  return { name, label, values, value: values[0][0] };
}
