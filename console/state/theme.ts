/** Light or dark: as the system has it, until the user chooses. */
import { effect, signal } from '@preact/signals';
import { tryStorage } from './try-storage.js';

const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];
const key = 'tidings.theme';

const chosen = (): Theme => {
  const kept = tryStorage(() => localStorage.getItem(key));
  return themes.find((each) => each === kept) ?? 'system';
};
export const theme = signal<Theme>(chosen());

/** Keeps the page in the chosen theme from now on, also when it is chosen in another tab. */
export function applyTheme(): void {
  addEventListener('storage', (event) => {
    if (event.key === key || event.key === null) theme.value = chosen();
  });
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
