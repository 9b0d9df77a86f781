type Said<Settings> = { readonly [Name in keyof Settings]?: Settings[Name] | undefined };

/** What a layer says after a change: absent stays as it is, null is said no longer. */
export function changeSettings<Settings extends object>(
  settings: Settings,
  change: Said<Settings>,
): Settings {
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  const said = Object.entries({ ...settings, ...Object.fromEntries(given) });
  // Entries of the one and of the other; a checker cannot follow names through Object.entries.
  return Object.fromEntries(said.filter(([, value]) => value !== null && value !== undefined)) as Settings;
}
