/** The declarations name what the library has, and nothing else. What they say of types, `tsc` checks with `declarations.ts`. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as library from '../../Sources/BaizeServer/Web/baize.js';
import { readText } from './support.js';

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
