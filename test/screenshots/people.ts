/** Contacts and messages of a book shop that does not exist. The numbers are reserved for fiction. */
const names = [
  'Ada Lovelace',
  'Grace Hopper',
  'Alan Turing',
  'Katherine Johnson',
  'Edsger Dijkstra',
  'Barbara Liskov',
  'Donald Knuth',
  'Margaret Hamilton',
  'Tony Hoare',
  'Radia Perlman',
  'Ken Thompson',
  'Frances Allen',
  'Dennis Ritchie',
  'Shafi Goldwasser',
  'Leslie Lamport',
  'Hedy Lamarr',
  'Niklaus Wirth',
  'Adele Goldberg',
] as const;
const cities = ['London', 'New York', 'Zürich', 'Boston', 'Rotterdam', 'Lisboa'] as const;
const books = ['Dune', 'Middlemarch', 'Solaris', 'Ulysses', 'Beloved', 'Emma'] as const;

export interface Person {
  name: string;
  phone: string;
  email: string;
  tags: string[];
  custom_fields: { city: string };
}

const at = <T>(list: readonly T[], index: number): T => list[index % list.length] as T;

function tagsOf(index: number): string[] {
  if (index % 4 === 0) return ['newsletter', 'vip'];
  return index % 3 === 0 ? [] : ['newsletter'];
}

export const people: readonly Person[] = names.map((name, index) => ({
  name,
  phone: `+1555010${String(1100 + index * 7).padStart(4, '0')}`,
  email: `${name.split(' ')[0]?.toLowerCase()}@example.com`,
  tags: tagsOf(index),
  custom_fields: { city: at(cities, index) },
}));

/** Recipients with which the sandbox fails in a fixed way (docs/contract/messages.md). */
const failing = ['+15005550001', '+15005550006', '+15005550007', '+15005550034'] as const;
/** The sandbox is unavailable for it twice, then delivers. */
export const flaky = '+15005550003';

export interface Letter {
  to: string;
  channel: 'sms' | 'whatsapp' | 'email';
  content: { text: string; subject?: string };
  reference: string;
}

/** Messages of an ordinary day; every eighth fails. */
export const letters: readonly Letter[] = Array.from({ length: 48 }, (_, index) => letterOf(index));

function letterOf(index: number): Letter {
  const { name, phone, email } = at(people, index * 5);
  const reference = `order-${4100 + index}`;
  const [first] = name.split(' ');
  const text = `Hello ${first}, your order of "${at(books, index)}" is on its way. It arrives tomorrow before noon.`;
  if (index % 8 === 7) return { to: at(failing, (index - 7) / 8), channel: 'sms', content: { text }, reference };
  if (index % 5 === 2) return { to: email, channel: 'email', content: { subject: 'Your order is on its way', text }, reference };
  return { to: phone, channel: index % 3 === 1 ? 'whatsapp' : 'sms', content: { text }, reference };
}
