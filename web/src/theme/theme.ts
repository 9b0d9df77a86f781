// Runs before the first paint, so that no page flashes in the other theme.
import { applyTheme, darkSystem, themeKey } from './chosen-theme.js';

applyTheme();
matchMedia(darkSystem).addEventListener('change', applyTheme);
addEventListener('storage', ({ key }) => {
  if (key === themeKey) applyTheme();
});
