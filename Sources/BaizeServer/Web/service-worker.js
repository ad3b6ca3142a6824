/**
 * Keeps the page, so that it is there at once, and without a network. It keeps the page itself and the files that the page names by
 * their contents, nothing else: what has no such name is left to the browser, WebSockets too. Each time the page is opened, or looks
 * for a newer one itself, the daemon is asked: what it has now is kept as a whole, for the next time. Fragments, which have tables and
 * invites, are not looked at.
 */

const PAGE = registration.scope;
/** Several daemons may be below one origin. */
const CACHE = `baize ${PAGE}`;
const NAME = /["']([\w./-]+\?[0-9a-f]+-[0-9a-f]+)["']/g;
const WORDS = /\/made\/(\w\w)\.js\?/;

/** The files that a text of the page's names by their contents. */
const namesIn = (text, base) => [...text.matchAll(NAME)].map(([, name]) => new URL(name, base).href).filter(isNamed);

const isNamed = (url) => ['made/', 'table/'].some((folder) => url.startsWith(PAGE + folder)) && /\?[0-9a-f]+-[0-9a-f]+$/.test(url);

addEventListener('install', (event) => {
  skipWaiting();
  event.waitUntil(renew());
});
addEventListener('activate', (event) => event.waitUntil(clients.claim()));

addEventListener('fetch', (event) => {
  const { request } = event;
  const url = request.url.split('#')[0];
  if (request.method !== 'GET') return;
  if (url === PAGE && request.mode === 'navigate') {
    event.respondWith(kept(PAGE).then((page) => page ?? fetch(request)));
    event.waitUntil(renew().catch(() => {}));
  } else if (url === PAGE) {
    event.respondWith(renew().then((page) => page.clone()));
  } else if (isNamed(url)) {
    event.respondWith(named(url, request));
  }
});

/** Returns what is kept; nothing where nothing can be, in a private window perhaps. */
async function kept(url) {
  try {
    return await (await caches.open(CACHE)).match(url);
  } catch {
    return undefined;
  }
}

/** Words of another language than before are kept when they are first asked for. */
async function named(url, request) {
  const there = await kept(url);
  if (there) return there;
  if (!WORDS.test(url)) return fetch(request);
  try {
    return await add(await caches.open(CACHE), url);
  } catch {
    return fetch(request);
  }
}

/** Fetches a file, and keeps it if it is what its name says: an older or newer daemon has something else under that name. */
async function add(cache, url) {
  const response = await fetch(url);
  const tag = url.split('?')[1];
  if (!response.ok || !response.headers.get('etag')?.includes(tag)) throw new Error(`another file than ${url}`);
  await cache.put(url, response.clone());
  return response;
}

let renewing;

/** Asks the daemon for the page as it is now, and returns the response; where several ask at once, it is asked once. */
function renew() {
  renewing ??= look().finally(() => (renewing = undefined));
  return renewing;
}

async function look() {
  const page = await fetch(PAGE, { cache: 'no-cache', redirect: 'manual' });
  try {
    await (page.ok ? keep(page.clone()) : isFinal(page) && forget());
  } catch {
    // An older page than the daemon's is not shown again: the next time, the daemon is asked first.
    await forget();
  }
  return page;
}

/** Whether somebody in front of the daemon wants the person to come without this worker, to sign in perhaps. */
const isFinal = ({ type, status }) => type === 'opaqueredirect' || (status >= 400 && status < 500 && status !== 429);

const forget = () => caches.delete(CACHE).catch(() => {});

/** Keeps a page with all that it names, the page last: until then there is the one before. */
async function keep(page) {
  const cache = await caches.open(CACHE);
  const before = (await cache.keys()).map(({ url }) => url);
  const wanted = new Set();
  const want = async (url) => {
    if (wanted.has(url)) return;
    wanted.add(url);
    if (!before.includes(url)) await add(cache, url);
    if (!url.includes('.js?')) return;
    const names = namesIn(await (await cache.match(url)).text(), url);
    await Promise.all(names.filter((name) => isWanted(name, before)).map(want));
  };
  const names = namesIn(await page.clone().text(), PAGE);
  if (names.length === 0) throw new Error('no page of ours');
  await Promise.all(names.map(want));
  await cache.put(PAGE, page);
  for (const url of before) if (url !== PAGE && !wanted.has(url)) await cache.delete(url);
}

/** Of the languages, the browser's first one and those that were chosen before. */
function isWanted(url, before) {
  const language = WORDS.exec(url)?.[1];
  return language === undefined || navigator.language.startsWith(language) || before.some((one) => WORDS.exec(one)?.[1] === language);
}
