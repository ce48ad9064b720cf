/** The words with which people opt out and return, by language, and how texts are compared with them. docs/carriers.md repeats the list. */

interface Words {
  /** The person wants no more messages. */
  stop: readonly string[];
  /** The person wants messages again. */
  start?: readonly string[];
}

/**
 * They are compared with a whole message, without case, and with all of their accents or none: "arrêté" is not ARRÊTE. A hyphen counts as a
 * space, and spaces do not matter in words that opt out. Sources are what carriers and mobile operators document, and literal words for STOP and
 * UNSUBSCRIBE. Words that also answer other questions are left out, such as YES, CANCELAR, ALTO (high), FERMA (farm) and SALIR (exit); CANCEL,
 * END and BAJA are here because carriers and operators act on them. A word that ends opt-outs names no workspace and ends those from all, so
 * labels that one workspace puts on its button, such as SUBSCRIBE, are left out.
 */
export const keywords: Readonly<Record<string, Words>> = {
  English: {
    stop: [
      'STOP',
      'STOP ALL',
      'UNSUBSCRIBE',
      'UNSUB',
      'CANCEL',
      'END',
      'QUIT',
      'REVOKE',
      'OPT OUT',
      'REMOVE ME',
      // Buttons that Meta proposes for templates.
      'STOP PROMOTIONS',
      'UNSUBSCRIBE FROM ALL',
      'UNSUBSCRIBE FROM PROMOS',
    ],
    start: ['START', 'UNSTOP', 'RESUBSCRIBE', 'OPTIN', 'OPT IN'],
  },
  French: {
    stop: [
      'ARRÊT',
      'ARRÊTE',
      'ARRÊTER',
      'ARRÊTEZ',
      'DÉSABONNER',
      'ME DÉSABONNER',
      'SE DÉSABONNER',
      'DÉSABONNEMENT',
      'DÉSINSCRIRE',
      'ME DÉSINSCRIRE',
      'SE DÉSINSCRIRE',
      'DÉSINSCRIPTION',
    ],
    start: ['NONARRÊT', 'NON ARRÊT', 'RÉABONNER', 'ME RÉABONNER'],
  },
  Spanish: {
    stop: [
      'BAJA',
      'DAR DE BAJA',
      'DARME DE BAJA',
      'DARSE DE BAJA',
      'DETENER',
      'PARAR',
      'DESUSCRIBIR',
      'DESUSCRIBIRME',
      'DESUSCRIBIRSE',
      'CANCELAR SUSCRIPCIÓN',
    ],
  },
  Portuguese: { stop: ['PARAR', 'SAIR', 'DESCADASTRAR', 'DESINSCREVER', 'CANCELAR INSCRIÇÃO', 'CANCELAR ASSINATURA'] },
  German: { stop: ['STOPP', 'STOPPEN', 'ABMELDEN', 'ABMELDUNG', 'ABBESTELLEN', 'AUSTRAGEN'] },
  Italian: { stop: ['DISISCRIVI', 'DISISCRIVIMI', 'DISISCRIVERMI', 'CANCELLAMI', 'CANCELLA ISCRIZIONE', 'ANNULLA ISCRIZIONE'] },
  Dutch: { stop: ['AFMELDEN', 'UITSCHRIJVEN', 'STOPPEN'] },
  Polish: { stop: ['WYPISZ', 'WYPISZ MNIE', 'ANULUJ SUBSKRYPCJĘ'] },
  'Czech, Slovak': { stop: ['ODHLÁSIT', 'ODHLÁSIT SE', 'ODHLÁSIŤ', 'ODHLÁSIŤ SA'] },
  Hungarian: { stop: ['LEIRATKOZÁS', 'LEIRATKOZOM'] },
  Romanian: { stop: ['DEZABONARE', 'DEZABONEAZĂ-MĂ'] },
  Swedish: { stop: ['STOPP', 'AVREGISTRERA', 'AVREGISTRERA MIG'] },
  Norwegian: { stop: ['STOPP', 'AVMELD', 'MELD AV', 'MELD MEG AV'] },
  Danish: { stop: ['AFMELD', 'AFMELD MIG', 'FRAMELD'] },
  Finnish: { stop: ['LOPETA', 'PERU TILAUS'] },
  Turkish: { stop: ['DURDUR', 'ABONELİKTEN ÇIK'] },
  Greek: { stop: ['ΣΤΟΠ', 'ΚΑΤΆΡΓΗΣΗ ΕΓΓΡΑΦΉΣ'] },
  Russian: { stop: ['СТОП', 'ОТПИСАТЬСЯ', 'ОТПИСКА'] },
  Ukrainian: { stop: ['СТОП', 'ВІДПИСАТИСЯ', 'ВІДПИСАТИСЬ'] },
  Arabic: { stop: ['إيقاف', 'أوقف', 'إلغاء الاشتراك'] },
  Hebrew: { stop: ['הסר', 'הסרה'] },
  Chinese: { stop: ['退订', '退訂', '取消订阅', '取消訂閱'] },
  Japanese: { stop: ['配信停止'] },
  Korean: { stop: ['수신거부'] },
  'Indonesian, Malay': { stop: ['BERHENTI', 'BERHENTI BERLANGGANAN'] },
  Vietnamese: { stop: ['HỦY ĐĂNG KÝ', 'HỦY ĐĂNG KÍ', 'HUY DANG KY'] },
};

/**
 * A text as it is compared: without case, invisible characters, and all that surrounds its letters, such as quotation marks, markup and emojis.
 * Full-width letters count as letters. In Turkish, `i` has the capital letter `İ`.
 * @param gap what spaces and hyphens become
 * @returns also what is behind the letters
 */
function bareOf(text: string, gap: '' | ' '): { word: string; rest: string } {
  const plain = text.normalize('NFKC').replaceAll(/[\p{Cf}\ufe00-\ufe0f]/gu, '');
  const { 0: letters = '', index = 0 } = /[\p{L}\p{N}](?:.*[\p{L}\p{N}\p{Mn}])?/su.exec(plain) ?? {};
  const word = letters
    .toUpperCase()
    .replaceAll('İ', 'I')
    .replaceAll(/[\s\p{Pd}]+/gu, gap);
  return { word, rest: plain.slice(index + letters.length) };
}

const withoutAccents = (word: string) => word.normalize('NFKD').replaceAll(/\p{Mn}/gu, '');

/** Each word as it is written, and without its accents, as many people type it. */
const bareWords = (kind: 'stop' | 'start', gap: '' | ' ') =>
  new Set(
    Object.values(keywords).flatMap((words) =>
      (words[kind] ?? []).flatMap((word) => [bareOf(word, gap).word, bareOf(withoutAccents(word), gap).word]),
    ),
  );
const stopWords = bareWords('stop', '');
const startWords = bareWords('start', ' '); // "un stop" is no return

/** The opt request of a recipient whose whole text is one of these words; null for any other text. */
export function keywordOf(text: string): 'stop' | 'start' | null {
  const { word, rest } = bareOf(text, '');
  if (word !== 'STOP' && /[?\u061f]/u.test(rest)) return null; // "Cancel?" is a question
  if (stopWords.has(word)) return 'stop';
  return startWords.has(bareOf(text, ' ').word) ? 'start' : null;
}

/** The payload of a button that opts out in any language (docs/carriers.md). */
const stopPayload = 'STOP';

/**
 * What a person said in a text or with a button.
 * @param texts what the person saw; the first that is an opt request counts
 * @param payloads data of the workspace that the person did not see. They can opt out. They end no opt-out, because it may concern other
 *   workspaces
 */
export function optRequestText(texts: readonly unknown[], payloads: readonly unknown[]): string {
  if (payloads.some((payload) => typeof payload === 'string' && payload.trim().toUpperCase() === stopPayload)) return stopPayload;
  const given = texts.filter((text) => typeof text === 'string');
  return given.find((text) => keywordOf(text) !== null) ?? given[0] ?? '';
}
