import assert from 'node:assert/strict';
import { chosenBy } from '../../harness/report/only-option.js';

describe('the option --only', () => {
  const names = ['Go', 'Java (Gradle)', 'Python'];
  const chosen = (only: string) => chosenBy(only, names, (name) => name);

  it('the option --only chooses the names that contain one of its parts, and all without it', () => {
    assert.deepEqual(chosen(''), names);
    assert.deepEqual(chosen('python,java'), ['Java (Gradle)', 'Python']);
  });

  it('the option --only fails for a part that no name contains, also beside others', () => {
    assert.throws(() => chosen('pyhton'), /--only pyhton names none of: Go, Java \(Gradle\), Python/);
    assert.throws(() => chosen('go,jvaa'), /--only jvaa/);
  });
});
