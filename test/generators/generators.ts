/** The generators, and for each one the commands that make a client, compile it, and run a program with it. */
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { root } from '../deploy/project.js';
import { cacheFolder } from '../support/downloads.js';

/** What all generators share. */
export interface Tools {
  /** The bundle of openapi-generator. */
  jar: string;
  /** The folder of a Python environment's programs. */
  python: string;
  /** A folder with `node_modules`. */
  node: string;
}

export interface Step {
  what: 'generate' | 'compile' | 'run';
  command: string;
  args: readonly string[];
  cwd?: string;
  env?: NodeJS.ProcessEnv;
}

export interface Generator {
  name: string;
  /** @param folder an empty folder with the document as `openapi.json` */
  steps(folder: string, tools: Tools): Step[];
}

const programs = join(root, 'test/generators/programs');
const inside = (tools: Tools, path: string) => join(tools.node, 'node_modules', path);

const generated = ({ jar }: Tools, language: string, output: string, ...options: string[]): Step => ({
  what: 'generate',
  command: 'java',
  args: ['-jar', jar, 'generate', '--generator-name', language, '--input-spec', 'openapi.json', '--output', output, ...options],
});

/** Compiles `main.ts` strictly, as the program of a user. */
function compiledTypescript(folder: string, tools: Tools): Step[] {
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  const options = { target: 'es2023', lib: ['es2023', 'dom'], module: 'nodenext', strict: true, types: ['node'], outDir: 'out' };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include: ['main.ts'] }));
  symlinkSync(inside(tools, ''), join(folder, 'node_modules'));
  return [
    { what: 'compile', command: process.execPath, args: [inside(tools, 'typescript/bin/tsc'), '--project', '.'] },
    { what: 'run', command: process.execPath, args: ['out/main.js'] },
  ];
}

const python: Generator = {
  name: 'openapi-generator python',
  steps(folder, tools) {
    cpSync(join(programs, 'python/main.py'), join(folder, 'main.py'));
    const PYTHONPATH = join(folder, 'client');
    return [
      generated(tools, 'python', 'client'),
      { what: 'compile', command: join(tools.python, 'python'), args: ['-m', 'compileall', '-q', 'client/openapi_client'] },
      { what: 'run', command: join(tools.python, 'python'), args: ['main.py'], env: { PYTHONPATH } },
    ];
  },
};

const typescriptFetch: Generator = {
  name: 'openapi-generator typescript-fetch',
  steps(folder, tools) {
    cpSync(join(programs, 'typescript-fetch/main.ts'), join(folder, 'main.ts'));
    const extension = '--additional-properties=importFileExtension=.js';
    return [generated(tools, 'typescript-fetch', 'client', extension), ...compiledTypescript(folder, tools)];
  },
};

const java: Generator = {
  name: 'openapi-generator java',
  steps(folder, tools) {
    const cwd = join(folder, 'client');
    mkdirSync(join(cwd, 'src/main/java'), { recursive: true });
    cpSync(join(programs, 'java/Main.java'), join(cwd, 'src/main/java/Main.java'));
    const repository = `-Dmaven.repo.local=${cacheFolder('maven')}`;
    const classpath = ['dependency:build-classpath', '-Dmdep.outputFile=classpath', '-Dmdep.includeScope=runtime'];
    const quietly = ['--quiet', '--batch-mode', repository];
    // Methods take one request object. Without it, a filter of a list is one of many arguments, most of them null.
    const namedParameters = '--additional-properties=useSingleRequestParameter=true';
    return [
      generated(tools, 'java', 'client', '--library', 'native', namedParameters),
      { what: 'compile', command: 'mvn', args: [...quietly, 'compile', ...classpath], cwd },
      { what: 'run', command: 'sh', args: ['-c', `exec java -cp "target/classes${delimiter}$(cat classpath)" Main`], cwd },
    ];
  },
};

const go: Generator = {
  name: 'openapi-generator go',
  steps(folder, tools) {
    const cwd = join(folder, 'client');
    mkdirSync(join(cwd, 'cmd'), { recursive: true });
    cpSync(join(programs, 'go/main.go'), join(cwd, 'cmd/main.go'));
    const module = ['--git-host', 'example.com', '--git-user-id', 'tidings', '--git-repo-id', 'client'];
    const options = [...module, '--package-name', 'tidings', '--additional-properties=withGoMod=true'];
    return [
      generated(tools, 'go', 'client', ...options),
      { what: 'compile', command: 'sh', args: ['-c', 'rm -rf test && go mod tidy && go vet ./... && go build -o program ./cmd'], cwd },
      { what: 'run', command: join(cwd, 'program'), args: [], cwd },
    ];
  },
};

const oapiCodegen: Generator = {
  name: 'oapi-codegen',
  steps(folder) {
    cpSync(join(programs, 'oapi-codegen/main.go'), join(folder, 'main.go'));
    mkdirSync(join(folder, 'tidings'));
    writeFileSync(join(folder, 'go.mod'), 'module example.com/tidings/client\n\ngo 1.24\n');
    // No operation refers to the types of events.
    const options = { package: 'tidings', output: 'tidings/tidings.go', generate: { models: true, client: true } };
    writeFileSync(join(folder, 'options.yaml'), JSON.stringify({ ...options, 'output-options': { 'skip-prune': true } }));
    const tool = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2';
    return [
      { what: 'generate', command: 'go', args: ['run', tool, '--config', 'options.yaml', 'openapi.json'] },
      { what: 'compile', command: 'sh', args: ['-c', 'go mod tidy && go vet ./... && go build -o program .'] },
      { what: 'run', command: join(folder, 'program'), args: [] },
    ];
  },
};

const pythonClient: Generator = {
  name: 'openapi-python-client',
  steps(folder, tools) {
    cpSync(join(programs, 'python-client/main.py'), join(folder, 'main.py'));
    const env = { PATH: `${tools.python}${delimiter}${process.env.PATH}` }; // it formats with ruff
    const make = ['generate', '--path', 'openapi.json', '--output-path', 'tidings_client', '--meta', 'none'];
    return [
      { what: 'generate', command: join(tools.python, 'openapi-python-client'), args: make, env },
      { what: 'compile', command: join(tools.python, 'python'), args: ['-m', 'compileall', '-q', 'tidings_client'] },
      { what: 'run', command: join(tools.python, 'python'), args: ['main.py'] },
    ];
  },
};

const openapiFetch: Generator = {
  name: 'openapi-typescript and openapi-fetch',
  steps(folder, tools) {
    cpSync(join(programs, 'openapi-fetch/main.ts'), join(folder, 'main.ts'));
    const make = [inside(tools, 'openapi-typescript/bin/cli.js'), 'openapi.json', '--output', 'tidings.d.ts'];
    return [{ what: 'generate', command: process.execPath, args: make }, ...compiledTypescript(folder, tools)];
  },
};

const postman: Generator = {
  name: 'Postman import',
  steps: (folder, tools) => {
    cpSync(join(programs, 'postman/main.mjs'), join(folder, 'main.mjs'));
    return [{ what: 'run', command: process.execPath, args: ['main.mjs'], env: { MODULES: join(tools.node, 'package.json') } }];
  },
};

const spectral: Generator = {
  name: 'Spectral',
  steps(folder, tools) {
    writeFileSync(join(folder, 'rules.json'), '{"extends": ["spectral:oas"]}');
    const args = [inside(tools, '@stoplight/spectral-cli/dist/index.js'), 'lint', 'openapi.json', '--ruleset', 'rules.json'];
    return [{ what: 'run', command: process.execPath, args: [...args, '--fail-severity', 'hint'] }];
  },
};

export const generators: readonly Generator[] = [
  spectral,
  python,
  typescriptFetch,
  java,
  go,
  oapiCodegen,
  pythonClient,
  openapiFetch,
  postman,
];
