/** The library for CSV files, a part of its own. */
import type Papa from 'papaparse';
import { Problem } from '../api/problem.js';

/** @throws Problem when it cannot be loaded. After an update of the service it has another name. */
export async function loadPapa(): Promise<typeof Papa> {
  try {
    return (await import('papaparse')).default;
  } catch {
    // Browsers may remember a failed import for the life of the page.
    throw new Problem(0, { error: 'The part of the console for CSV files could not be loaded. Reload the page.' });
  }
}
