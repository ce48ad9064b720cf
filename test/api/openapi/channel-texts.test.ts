import assert from 'node:assert/strict';
import { channelsInWords, pricesInWords, templateChannelsInWords } from '../../../api/present/channel-texts.js';

describe('channels', () => {
  it('channels are named in texts, with their prices', () => {
    assert.equal(channelsInWords, 'SMS, WhatsApp and e-mail');
    assert.equal(templateChannelsInWords, 'whatsapp');
    assert.equal(pricesInWords, 'SMS 1 for each 160 characters, WhatsApp 0.5 and e-mail 0.1');
  });
});
