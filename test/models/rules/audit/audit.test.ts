import assert from 'node:assert/strict';
import { auditFilters, auditTypes, typesOf } from '../../../../models/rules/audit/audit-types.js';
import { changesBetween, originOfUrl } from '../../../../models/rules/audit/changes.js';
import { actingAs, anonymous, systemOrigin } from '../../../../models/rules/audit/origin.js';

describe('the changes in an audit event', () => {
  it('the changes in an audit event are the fields that differ, with both values', () => {
    const changes = changesBetween({ a: 1, b: [1, 2], c: null, gone: 1 }, { a: 2, b: [1, 2], c: 'x', d: false });
    assert.deepEqual(changes, { a: { from: 1, to: 2 }, c: { from: null, to: 'x' }, d: { from: null, to: false } });
    assert.deepEqual(changesBetween({ a: 1 }, { a: undefined }), { a: { from: 1, to: null } });
  });

  it('the changes in an audit event say of a hidden field only that it changed', () => {
    assert.deepEqual(changesBetween({ a: 'old', b: 'x' }, { a: 'new', b: 'x' }, ['a', 'b']), { a: 'changed' });
  });

  it('the changes in an audit event name the origin of a URL, without its path and query', () => {
    assert.equal(originOfUrl('https://x.test:8443/hook/secret?token=t'), 'https://x.test:8443');
    assert.equal(originOfUrl('no url'), '');
  });
});

describe('the filter of audit events', () => {
  it('the filter of audit events selects one type, or all of a family', () => {
    assert.deepEqual(typesOf('api_key.revoked'), ['api_key.revoked']);
    assert.deepEqual(typesOf('api_key.*'), ['api_key.created', 'api_key.revoked', 'api_key.rotated']);
    for (const filter of ['api_key', 'api_key.', 'key.*', 'api*', 'created', '']) assert.deepEqual(typesOf(filter), [], filter);
  });

  it('the filter of audit events has a value for each type and each family, and each selects something', () => {
    assert.equal(new Set(auditFilters).size, auditFilters.length);
    assert.deepEqual(
      auditFilters.filter((filter) => filter.endsWith('.*')),
      ['auth.*', 'api_key.*', 'webhook.*', 'suppression.*', 'workspace.*', 'billing.*'],
    );
    for (const type of auditTypes) assert.ok(auditFilters.includes(type));
    for (const filter of auditFilters) assert.notEqual(typesOf(filter).length, 0);
  });
});

describe('the origin of a change', () => {
  it('the origin of a change is nobody known before the authentication, and the workspace after it', () => {
    const origin = { actor: anonymous, address: '203.0.113.7', userAgent: 'curl', requestId: 'r1' };
    assert.deepEqual(anonymous, { type: 'user', id: null, name: null });
    assert.deepEqual(actingAs(origin, { id: 'w1', email: 'ann@example.com' }), {
      ...origin,
      actor: { type: 'user', id: 'w1', name: 'ann@example.com' },
    });
  });

  it('the origin of a change without a request is the service itself', () => {
    const actor = { type: 'system', id: null, name: 'watcher' };
    assert.deepEqual(systemOrigin('watcher'), { actor, address: null, userAgent: null, requestId: null });
  });
});
