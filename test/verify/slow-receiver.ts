/** Changed copies of the sample receivers, such as those that are slow to handle an event, and then fail. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Of each receiver the line that handles an event, and what stands in its place. */
const handlers = (begun: string, fails: string): Record<string, readonly [RegExp, string]> => ({
  'receiver.mjs': [
    /process\.stdout\.write\(`\$\{event\}.*/,
    `const fs = await import('node:fs');
    if (fs.existsSync('${fails}')) return;
    fs.writeFileSync('${begun}', '');
    while (!fs.existsSync('${fails}')) await new Promise((done) => setTimeout(done, 20));
    throw new Error('it failed');`,
  ],
  'receiver.py': [
    /print\(event\["event"\].*/,
    `if os.path.exists("${fails}"): return
    open("${begun}", "w").close()
    while not os.path.exists("${fails}"): time.sleep(0.02)
    raise RuntimeError("it failed")`,
  ],
  'receiver.go': [
    /fmt\.Println\(received\.Event, messageID\)/,
    `_ = messageID
	if _, err := os.Stat("${fails}"); err == nil {
		return nil
	}
	os.WriteFile("${begun}", nil, 0600)
	for {
		if _, err := os.Stat("${fails}"); err == nil {
			return errors.New("it failed")
		}
		time.Sleep(20 * time.Millisecond)
	}`,
  ],
});

/**
 * Makes a copy of the receiver whose handler writes the file `<name>.begun`, and fails when there is a file `<name>.fails`. Its next call succeeds.
 * @returns its name
 */
export function slowToFail(folder: string, file: string): string {
  const name = `slow-${file}`;
  const [begun, fails] = [`${name}.begun`, `${name}.fails`];
  const [line, slow] = handlers(begun, fails)[file] ?? assert.fail(file);
  return changedCopy(folder, file, { name, find: line, replace: slow.replaceAll('$', '$$$$') });
}

/**
 * Makes a copy of the receiver with one change.
 * @param change `replace` may name groups of `find`
 * @returns its name
 */
export function changedCopy(
  folder: string,
  file: string,
  { name, find, replace }: { name: string; find: RegExp; replace: string },
): string {
  const text = readFileSync(join(folder, file), 'utf8');
  assert.match(text, find);
  writeFileSync(join(folder, name), text.replace(find, replace));
  return name;
}
