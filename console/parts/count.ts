/** `1 row`, `1,000 rows` */
export const countText = (count: number, noun: string): string => `${count.toLocaleString()} ${noun}${count === 1 ? '' : 's'}`;
