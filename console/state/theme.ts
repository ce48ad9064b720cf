/** Light or dark: as the system has it, until the viewer chooses. */
import { effect, signal } from '@preact/signals';

const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];
const key = 'tidings.theme';

/** A frame of another site may have no storage. */
function readStored(): Theme | null {
  try {
    return localStorage.getItem(key) as Theme | null;
  } catch {
    return null;
  }
}

const stored = readStored();
export const theme = signal<Theme>(stored !== null && themes.includes(stored) ? stored : 'system');

/** Keeps the page in the chosen theme from now on. */
export function applyTheme(): void {
  effect(() => {
    const { documentElement } = document;
    if (theme.value === 'system') delete documentElement.dataset.theme;
    else documentElement.dataset.theme = theme.value;
  });
}

export function nextTheme(): void {
  theme.value = themes[(themes.indexOf(theme.value) + 1) % themes.length] ?? 'system';
  localStorage.setItem(key, theme.value);
}
