/** Addresses and names that a webhook must not reach, one or more of every special block of the IANA registries; and some that it may. */

export const hostileAddresses =
  `0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.255 127.0.0.1 127.1.2.3 168.63.129.16 169.254.0.1
  169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.170 192.0.2.1 192.31.196.1 192.52.193.1 192.88.99.1 192.168.0.1
  192.168.255.255 192.175.48.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1
  255.255.255.255 :: ::1 ::127.0.0.1 ::a00:1 ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 ::ffff:0:127.0.0.1
  64:ff9b::7f00:1 64:ff9b::10.0.0.1 64:ff9b:1::1 100::1 100:0:0:1::1 2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:1::3 2001:2::1
  2001:10::1 2001:20::1 2001:db8::1 2002:7f00:1:: 2002:a00:1:: 2620:4f:8000::1 3fff::1 5f00::1 fc00::1 fd12:3456::1 fe80::1 fec0::1 ff02::1`.split(
    /\s+/,
  );

export const publicAddresses = [
  '1.1.1.1',
  '8.8.8.8',
  '93.184.216.34',
  '172.32.0.1',
  '2606:4700:4700::1111',
  '2a00:1450:4001::200e',
  '::ffff:8.8.8.8',
];

/** Spellings that a URL parser folds to an address, or that name something on a network of one's own. */
export const hostileHosts = [
  '127.1',
  '127.0.1',
  '0x7f.1',
  '0x7f000001',
  '2130706433',
  '017700000001',
  '0177.0.0.1',
  '127.0.0.1.',
  '%31%32%37.0.0.1',
  '①②⑦.⓪.⓪.①',
  '127。0。0。1',
  '1\u00AD27.0.0.1',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:ffff:127.0.0.1]',
  'localhost',
  'LOCALHOST.',
  'local\u00ADhost',
  'app.localhost',
  'intranet',
  'printer.local',
  'printer.local.',
  'metadata.google.internal',
  'hidden.onion',
  `${'a.'.repeat(126)}example`,
];
