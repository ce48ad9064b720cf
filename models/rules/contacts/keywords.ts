/** The words with which people opt out and return, by language. docs/carriers.md repeats the list. */

interface Words {
  /** The person wants no more messages. */
  stop: readonly string[];
  /** The person wants messages again. */
  start?: readonly string[];
}

/**
 * They are compared without accents, case and hyphens, and only with a whole message. Sources are what carriers and mobile operators document,
 * and the words for STOP and UNSUBSCRIBE. Left out is what answers other questions or is a label of other buttons, such as YES, CANCELAR,
 * ANMELDEN and VOLTAR; CANCEL and END are here because carriers act on them themselves.
 */
export const keywords: Readonly<Record<string, Words>> = {
  English: {
    stop: [
      'STOP',
      'STOPALL',
      'STOP ALL',
      'UNSUBSCRIBE',
      'UNSUB',
      'CANCEL',
      'END',
      'QUIT',
      'REVOKE',
      'OPTOUT',
      'OPT OUT',
      'REMOVE',
      'REMOVE ME',
      // Buttons that Meta proposes for templates.
      'STOP PROMOTIONS',
      'UNSUBSCRIBE FROM ALL',
      'UNSUBSCRIBE FROM PROMOS',
    ],
    start: ['START', 'UNSTOP', 'SUBSCRIBE', 'RESUBSCRIBE', 'OPTIN', 'OPT IN'],
  },
  French: {
    stop: [
      'ARRET',
      'ARRETE',
      'ARRETER',
      'ARRETEZ',
      'DESABONNER',
      'DESABONNEMENT',
      'ME DESABONNER',
      'SE DESABONNER',
      'DESINSCRIRE',
      'DESINSCRIPTION',
    ],
    start: ['NONARRET', 'NON ARRET', 'REABONNER', 'ME REABONNER'],
  },
  Spanish: {
    stop: [
      'BAJA',
      'DAR DE BAJA',
      'DARME DE BAJA',
      'DARSE DE BAJA',
      'ALTO',
      'DETENER',
      'PARAR',
      'PARE',
      'SALIR',
      'DESUSCRIBIR',
      'DESUSCRIBIRME',
      'DESUSCRIBIRSE',
      'CANCELAR SUSCRIPCION',
    ],
    start: ['ALTA', 'SUSCRIBIR', 'SUSCRIBIRME', 'SUSCRIBIRSE'],
  },
  Portuguese: {
    stop: ['PARAR', 'PARE', 'SAIR', 'DESCADASTRAR', 'DESINSCREVER', 'CANCELAR INSCRICAO', 'CANCELAR ASSINATURA'],
    start: ['INSCREVER'],
  },
  German: { stop: ['STOPP', 'STOPPEN', 'ABMELDEN', 'ABMELDUNG', 'ABBESTELLEN', 'AUSTRAGEN'], start: ['ABONNIEREN'] },
  Italian: {
    stop: ['FERMA', 'FERMARE', 'DISISCRIVI', 'DISISCRIVIMI', 'DISISCRIVERMI', 'CANCELLAMI', 'CANCELLA ISCRIZIONE', 'ANNULLA ISCRIZIONE'],
    start: ['ISCRIVIMI'],
  },
  Dutch: { stop: ['AFMELDEN', 'UITSCHRIJVEN', 'STOPPEN'] },
  Polish: { stop: ['WYPISZ', 'WYPISZ MNIE', 'ANULUJ SUBSKRYPCJE'] },
  'Czech, Slovak': { stop: ['ODHLASIT', 'ODHLASIT SE', 'ODHLASIT SA'] },
  Hungarian: { stop: ['LEIRATKOZAS', 'LEIRATKOZOM'] },
  Romanian: { stop: ['DEZABONARE', 'DEZABONEAZA MA'] },
  Swedish: { stop: ['STOPP', 'AVREGISTRERA', 'AVREGISTRERA MIG'] },
  Norwegian: { stop: ['STOPP', 'AVMELD', 'MELD AV', 'MELD MEG AV'] },
  Danish: { stop: ['AFMELD', 'AFMELD MIG', 'FRAMELD'] },
  Finnish: { stop: ['LOPETA', 'PERU TILAUS'] },
  Turkish: { stop: ['DURDUR', 'ABONELIKTEN CIK'] },
  Greek: { stop: ['ΣΤΟΠ', 'ΚΑΤΑΡΓΗΣΗ ΕΓΓΡΑΦΗΣ'] },
  Russian: { stop: ['СТОП', 'ОТПИСАТЬСЯ', 'ОТПИСКА'], start: ['ПОДПИСАТЬСЯ'] },
  Ukrainian: { stop: ['СТОП', 'ВІДПИСАТИСЯ', 'ВІДПИСАТИСЬ'], start: ['ПІДПИСАТИСЯ'] },
  Arabic: { stop: ['إيقاف', 'أوقف', 'توقف', 'إلغاء الاشتراك'] },
  Hebrew: { stop: ['הסר', 'הסרה'] },
  Chinese: { stop: ['退订', '退訂', '取消订阅', '取消訂閱'] },
  Japanese: { stop: ['配信停止', '停止'] },
  Korean: { stop: ['수신거부', '수신 거부'] },
  'Indonesian, Malay': { stop: ['BERHENTI', 'BERHENTI BERLANGGANAN'] },
  Vietnamese: { stop: ['HỦY ĐĂNG KÝ', 'HUY DANG KY'] },
};
