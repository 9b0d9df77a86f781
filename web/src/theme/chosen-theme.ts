export const themes = [
  ['system', 'As the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const;
export type Theme = (typeof themes)[number][0];

/** Of the browser, not of an account: it stays after a sign-out. */
export const themeKey = 'berth.theme';

export const darkSystem = '(prefers-color-scheme: dark)';

export const chosenTheme = (): Theme =>
  themes.find(([theme]) => theme === localStorage.getItem(themeKey))?.[0] ?? 'system';

export function applyTheme(): void {
  const theme = chosenTheme();
  const isDark = theme === 'dark' || (theme === 'system' && matchMedia(darkSystem).matches);
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
}

export function chooseTheme(theme: Theme): void {
  if (theme === 'system') localStorage.removeItem(themeKey);
  else localStorage.setItem(themeKey, theme);
  applyTheme();
}
