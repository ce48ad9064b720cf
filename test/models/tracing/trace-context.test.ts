import assert from 'node:assert/strict';
import fc from 'fast-check';
import { v7 as uuidv7 } from 'uuid';
import { formatTraceparent, isSampled, readTraceparent, traceStart } from '../../../models/tracing/trace-context.js';

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const span = '00f067aa0ba902b7';

describe('traceparent', () => {
  const read: [string, string | string[] | undefined, string | null][] = [
    ['as it came', `00-${trace}-${span}-01`, `00-${trace}-${span}-01`],
    ['without flags that version 00 does not know', `00-${trace}-${span}-fe`, `00-${trace}-${span}-00`],
    ['of a later version, by the part that is known', `cc-${trace}-${span}-01-what-the-future-holds`, `00-${trace}-${span}-01`],
    ['not when it is absent', undefined, null],
    ['not when it came twice', `00-${trace}-${span}-01, 00-${trace}-${span}-01`, null],
    ['not as a list', [`00-${trace}-${span}-01`], null],
    ['not with the version ff', `ff-${trace}-${span}-01`, null],
    ['not with a trace of zeros', `00-${'0'.repeat(32)}-${span}-01`, null],
    ['not with a span of zeros', `00-${trace}-${'0'.repeat(16)}-01`, null],
    ['not in upper case', `00-${trace.toUpperCase()}-${span}-01`, null],
    ['not with a rest in version 00', `00-${trace}-${span}-01-x`, null],
    ['not when it is too short', `00-${trace}-${span}`, null],
    ['not when it is very long', `cc-${trace}-${span}-01-${'x'.repeat(10_000)}`, null],
  ];
  for (const [title, header, expected] of read) it(`a traceparent is read ${title}`, () => assert.equal(readTraceparent(header), expected));

  it('a traceparent is null or valid for any text, and then unchanged by a second reading', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/)), (header) => {
        const value = readTraceparent(header);
        assert.ok(value === null || (value.length === 55 && readTraceparent(value) === value));
      }),
    );
  });
});

describe('the root of a trace', () => {
  const id = '01997a1c-7c3e-7d11-8f6a-0123456789ab';

  it('the root of a trace follows from the id of the message', () => {
    const { root, client } = traceStart(id);
    assert.deepEqual(root, { traceId: '01997a1c7c3e7d118f6a0123456789ab', spanId: '8f6a0123456789ab' });
    assert.equal(client, undefined);
    assert.equal(readTraceparent(formatTraceparent(root)), formatTraceparent(root));
  });
  it('the root of a trace is a child of the span of its client', () => {
    const client = { traceId: trace, spanId: span };
    assert.deepEqual(traceStart(id, `00-${trace}-${span}-00`), { root: { traceId: trace, spanId: '8f6a0123456789ab' }, client });
  });
});

describe('isSampled', () => {
  it('the requested share of traces is sampled, also of ids of one millisecond', () => {
    const ids = Array.from({ length: 20_000 }, () => uuidv7());
    const share = ids.filter((id) => isSampled(id, 0.1)).length / ids.length;
    assert.ok(share > 0.08 && share < 0.12, String(share));
  });
  it('no trace is sampled at 0, and every trace at 1', () => {
    assert.ok(!isSampled('01997a1c-7c3e-7d11-8000-000000000000', 0));
    assert.ok(isSampled('01997a1c-7c3e-7d11-bfff-ffffffffffff', 1));
  });
});
