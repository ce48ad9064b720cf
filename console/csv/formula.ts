/**
 * Cells that a spreadsheet would run as a formula have an apostrophe before them in a saved file (OWASP, CSV Injection). Reading takes it off
 * again, so that a file that was saved and chosen again has the same cells.
 */

/** What gets an apostrophe. A plain phone number is no formula. What looks as if it already had one gets another, so that each is taken off once. */
export const escaped = /^(?:'+[=\-@\t\r\n＝＋－＠+]|[=\-@\t\r\n＝＋－＠]|\+(?!\d+$))/;

/** The cell without the apostrophe that a spreadsheet or `escaped` made necessary. */
export const unescaped = (cell: string): string => (/^'+[=\-@\t\r\n＝＋－＠+]/.test(cell) ? cell.slice(1) : cell);
