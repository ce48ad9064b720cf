/** Sample sends with approved WhatsApp templates. */

export const template = {
  to: '+15551234567',
  channel: 'whatsapp',
  content: {
    text: 'Ada, your order is on its way.',
    template: { name: 'order_update', language: 'en_US', variables: { 1: 'Ada' } },
  },
};
/** With every part that can have variables. */
export const richTemplate = {
  ...template,
  content: {
    text: 'Ada, your invoice 1042 is here.',
    template: {
      name: 'invoice',
      language: 'en_US',
      variables: { 1: 'Ada', 2: '1042' },
      header: { type: 'document', link: 'https://files.example.com/1042.pdf', filename: 'invoice-1042.pdf' },
      buttons: [
        { index: 0, type: 'url', suffix: 'invoices/1042' },
        { index: 1, type: 'quick_reply', payload: 'question-1042' },
      ],
    },
  },
};
export const bulkTemplate = {
  channel: 'whatsapp',
  content: {
    text: 'Hello {{ name }}, your ticket is here.',
    template: {
      name: 'ticket',
      language: 'en_US',
      variables: { 1: '{{ name }}' },
      header: { type: 'image', link: 'https://files.example.com/{{ ticket }}.png' },
      buttons: [{ index: 0, type: 'url', suffix: '{{ ticket }}' }],
    },
  },
  recipients: [{ to: '+15551234567', variables: { name: 'Ada', ticket: 'T-1042' } }],
};
