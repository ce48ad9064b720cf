/** The last step of the script prepare: what the package needs besides code and types. Node runs this file as it is, so it is JavaScript. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const dist = resolve(import.meta.dirname, '../dist');

// The package is of the type module. In this folder, Node and TypeScript take the same files as CommonJS.
writeFileSync(join(dist, 'cjs/package.json'), '{ "type": "commonjs" }\n');
cpSync(join(dist, 'types'), join(dist, 'cjs/types'), { recursive: true });

// The command contains code of this package, whose licence demands its text in every copy.
const parser = resolve(import.meta.dirname, '../../../node_modules/csv-parse');
const { name, version } = JSON.parse(readFileSync(join(parser, 'package.json'), 'utf8'));
writeFileSync(join(dist, 'THIRD-PARTY-LICENSES'), `${name} ${version}\n\n${readFileSync(join(parser, 'LICENSE'), 'utf8')}`);
