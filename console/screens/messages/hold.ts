/** When the rows of the list of messages stay where they are. */

/** The region around the table does not count: it gets the focus when another page is shown. */
const isInTable = (element: Element | null) => Boolean(element?.closest('.table table'));

/** Whether the user reads the table, or has gone down to it. */
export const isHeld = (): boolean => scrollY > 0 || isInTable(document.activeElement);
