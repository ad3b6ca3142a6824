/** Every sentence of the page is in every language's table, with the same places for names and numbers, and nothing else is. */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const ROOT = new URL('../../', import.meta.url);
const PAGE = new URL('Sources/BaizeServer/Web/', ROOT);
const TYPES = new URL('Protocol/table-types/', ROOT);
const LANGUAGES = ['de', 'es', 'fr'];
const TEXT = String.raw`'((?:[^'\\]|\\.)*)'`;

const read = (name, folder = PAGE) => readFileSync(new URL(name, folder), 'utf8');
const texts = (source, pattern) => [...source.matchAll(new RegExp(pattern, 'g'))].flatMap((found) => found.slice(1).filter(Boolean));
const humanized = (name) => {
  const words = name.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[_-]+/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** The sentences without numbers, and those with one, each by its form for many. */
function sentences() {
  const plain = new Set(texts(read('index.html'), ' data-say>([^<]*)<| aria-label="([^"]*)"| placeholder="([^"]*)"'));
  const counted = new Set();
  for (const name of readdirSync(new URL('table/', PAGE)).filter((one) => one.endsWith('.js'))) {
    const source = read(`table/${name}`);
    const add = (pattern) => { for (const text of texts(source, pattern)) plain.add(text.replaceAll("\\'", "'")); };
    add(String.raw`\bsay(?:Parts)?\(${TEXT}`);
    add(String.raw`\bsay\((?:[^()\n]|\([^()\n]*\))*?\?\??\s+${TEXT}(?:\s+: ${TEXT})?`);
    for (const text of texts(source, String.raw`\bsayCount\([^']*${TEXT},\s+${TEXT}`).filter((_, index) => index % 2)) counted.add(text);
    if (name === 'rules.js') add(String.raw`^    ${TEXT},$`.replace('^', '(?<=\\n)').replace('$', '(?=\\n)'));
    if (name === 'words.js') add(String.raw`(?<=\n)  [A-Z_]+: ${TEXT}`);
    if (name === 'types.js') {
      add(String.raw`(?:title|text): ${TEXT}`);
      add(String.raw`(?:choice|number)\('\w+', ${TEXT}`);
      add(String.raw`\[(?:'\w+'|\d), ${TEXT}\]`);
    }
  }
  // The nouns of items, and who is named on them.
  for (const word of ['card', 'item', 'Holder', 'Owner', 'Approved']) plain.add(word);
  for (const suit of ['clubs', 'diamonds', 'hearts', 'spades']) {
    plain.add(suit);
    plain.add(`Your turn: follow with ${suit} if you can.`);
  }
  for (const name of readdirSync(TYPES).filter((one) => one.endsWith('.json'))) for (const text of ofDocument(JSON.parse(read(name, TYPES)))) plain.add(text);
  for (const text of [...plain]) if (!/\p{L}{2}/u.test(text.replace(/\{\w+\}/g, ''))) plain.delete(text);
  return { plain, counted };
}

/** What the page shows of a bundled document. */
function ofDocument(type) {
  const kinds = [...type.collections, ...(type.opened ?? [])];
  const details = [...JSON.stringify(type).matchAll(/"detail":"((?:[^"\\]|\\.)* (?:[^"\\]|\\.)*)"/g)].map((found) => JSON.parse(`"${found[1]}"`));
  const fields = (type.show?.fields ?? []).map(({ attribute }) => attribute);
  const statuses = (type.endings ?? []).map(({ status }) => String(status)).filter((status) => !status.startsWith('won')).map((status) => (status.includes('{') ? status.split('-')[0] : `${status}.`));
  return [type.title, ...kinds.map((kind) => kind.show?.title ?? humanized(kind.kind)), ...details, ...[...Object.keys(type.actions ?? {}), ...fields, ...statuses].map(humanized)];
}

const places = (text) => [...text.matchAll(/\{\w+\}/g)].map(([place]) => place).sort().join();

for (const language of LANGUAGES) {
  test(`${language} has every sentence`, async () => {
    const { default: words } = await import(new URL(`table/words/${language}.js`, PAGE));
    const { plain, counted } = sentences();
    assert.ok(plain.size > 250 && counted.size > 10, `${plain.size}, ${counted.size}`);
    const missing = [...plain, ...counted].filter((text) => !Object.hasOwn(words, text));
    assert.deepEqual(missing, [], 'missing');
    assert.deepEqual(Object.keys(words).filter((text) => !plain.has(text) && !counted.has(text)), [], 'not in use');
    for (const text of plain) assert.equal(places(words[text]), places(text), text);
    for (const text of counted) {
      assert.ok(words[text].other && typeof words[text].one === 'string', text);
      assert.equal(places(words[text].other), places(text), text);
    }
    const same = [...plain].filter((text) => words[text] === text && /[a-z] /.test(text));
    assert.deepEqual(same, [], 'not translated');
  });
}

test('the operator\'s page has every sentence in every language, and no other', async () => {
  const { WORDS } = await import(new URL('admin/words.js', PAGE));
  const source = read('admin/admin.js');
  const said = new Set([...texts(read('admin/index.html'), ' data-say>([^<]*)<'), ...texts(source, String.raw`\bsay\(${TEXT}`), ...texts(source, String.raw`\bcell\(${TEXT}`)]);
  for (const mark of ['normal', 'refusing', 'shedding', 'disconnecting']) said.add(mark);
  assert.ok(said.size > 35, `${said.size}`);
  assert.deepEqual([...said].filter((text) => !Object.hasOwn(WORDS, text)), [], 'missing');
  assert.deepEqual(Object.keys(WORDS).filter((text) => !said.has(text)), [], 'not in use');
  for (const [text, all] of Object.entries(WORDS)) {
    assert.equal(all.length, LANGUAGES.length, text);
    for (const one of all) assert.equal(places(one), places(text), text);
  }
  const beside = [...source.matchAll(/(?:textContent = |append\(|confirm\()[`'][A-Za-z][^`']*/g)].map(([text]) => text);
  assert.deepEqual(beside, []);
  assert.equal(read('admin/index.html').match(/<(?:h1|label|button|th|option|title)\b[^>]*>[^<]/g).every((one) => one.includes('data-say')), true);
});

test('nothing is said beside the tables', () => {
  for (const name of readdirSync(new URL('table/', PAGE)).filter((one) => one.endsWith('.js'))) {
    const wrong = [...read(`table/${name}`).matchAll(/(?:text|label|placeholder|title|'aria-label'): '[A-Z][^']*'|(?:announce|notify)\('[^']*'/g)].map(([text]) => text);
    if (name !== 'types.js') assert.deepEqual(wrong, [], name);
  }
});

test('a type has one name: the start page says that of its document', async () => {
  const { TYPES: offered } = await import(new URL('table/types.js', PAGE));
  const titles = Object.fromEntries(readdirSync(TYPES).filter((one) => one.endsWith('.json')).map((name) => [name.slice(0, -5), JSON.parse(read(name, TYPES)).title]));
  assert.deepEqual(Object.fromEntries(offered.map(({ name, title }) => [name, title])), titles);
});

export { sentences };
