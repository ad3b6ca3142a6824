/** The declarations name what the library has, and nothing else. What they say of types, `tsc` checks with `declarations.ts`. */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as library from '../../Sources/BaizeServer/Web/baize.js';
import { readText, root } from './support.js';

const declarations = readText('Sources/BaizeServer/Web/baize.d.ts');

test('each export is declared, and each declared value is exported', () => {
  const declared = [...declarations.matchAll(/^export (?:class|function) (\w+)/gm)].map(([, name]) => name);
  assert.deepEqual(declared.sort(), Object.keys(library).sort());
});

test('the members of a table are those that are declared', () => {
  const [, body] = /export class TableClient \{([\s\S]*?)\n\}/.exec(declarations);
  const declared = [...body.matchAll(/^ {2}(?:readonly )?(\w+)(?:<[^>]*>)?[(:]/gm)].map(([, name]) => name);
  const members = Object.getOwnPropertyNames(library.TableClient.prototype).filter((name) => name !== 'constructor');
  assert.deepEqual(declared.sort(), members.sort());
});

test('the modules import one another alone, and run in a browser as they are', () => {
  const folder = new URL('Sources/BaizeServer/Web/', root);
  const modules = readdirSync(new URL('baize/', folder)).map((name) => `baize/${name}`);
  const specifiers = ['baize.js', ...modules].flatMap((path) => {
    const text = readFileSync(new URL(path, folder), 'utf8');
    assert.doesNotMatch(text, /\b(?:process\.|Buffer\.|eval\(|new Function)/, path);
    return [...text.matchAll(/^(?:import|export|\}) .*from '([^']*)'/gm)].map(([, specifier]) => new URL(specifier, new URL(path, folder)).href);
  });
  const known = new Set(modules.map((path) => new URL(path, folder).href));
  assert.deepEqual([...new Set(specifiers)].filter((specifier) => !known.has(specifier)), []);
  assert.equal(new Set(specifiers).size, known.size, 'each is used');
});
