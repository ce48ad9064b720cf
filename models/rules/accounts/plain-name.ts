/** Names that users choose, in mails that we send: a user must not be able to put a text of their own into them. */

const lengthMax = 60;

/**
 * A name on one line, without anything that a mail program turns into a link, and short.
 * @param name as the user typed it
 */
export function plainName(name: string): string {
  const oneLine = name.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ');
  // The look-behind makes it try each word once, and not once for each of its letters.
  const withoutLinks = oneLine
    .replaceAll(/(?<![\p{L}\d+.-])[\p{L}\d+.-]+:\/\/\S*/gu, ' ')
    .replaceAll(/[@/\\]/g, ' ')
    .replaceAll(/\bwww\./giu, ' ')
    .replaceAll(/[.\u3002\uff0e\uff61](?=[\p{L}\d])/gu, ' ')
    .replaceAll(/ {2,}/g, ' ')
    .trim();
  const characters = [...withoutLinks];
  return characters.length > lengthMax
    ? `${characters
        .slice(0, lengthMax - 1)
        .join('')
        .trimEnd()}…`
    : withoutLinks;
}
