/** The look of the page; light and dark by the reader's own setting. */
export const docsStyle = `
:root{color-scheme:light dark;--text:#1b2430;--soft:#5b6776;--line:#dfe4ea;--page:#fff;--panel:#f6f8fa;--accent:#0b6bcb}
@media(prefers-color-scheme:dark){:root{--text:#e4e9f0;--soft:#98a5b5;--line:#2c3643;--page:#10151c;--panel:#18202a;--accent:#6cb3ff}}
*{box-sizing:border-box}a{color:var(--accent)}
.errors{display:grid;grid-template-columns:auto 1fr;gap:.15rem .75rem;margin:.75rem 0 0;font-size:.875rem}.errors dt,.errors dd{margin:0}
body{margin:0;font:16px/1.55 system-ui,sans-serif;color:var(--text);background:var(--page);display:grid;grid-template-columns:18rem minmax(0,1fr)}
nav{position:sticky;top:0;height:100vh;overflow:auto;padding:1.5rem 1rem;border-right:1px solid var(--line);background:var(--panel);font-size:.875rem}
nav h2{font-size:.75rem;letter-spacing:.06em;text-transform:uppercase;color:var(--soft);margin:1.25rem 0 .25rem}
nav a{display:block;padding:.2rem .4rem;border-radius:.3rem;color:inherit;text-decoration:none;overflow-wrap:anywhere}
nav a:hover,nav a:focus-visible{background:var(--line)}
main{padding:2rem clamp(1rem,4vw,3rem);max-width:62rem}
h1{margin-top:0}section.area>h2{border-bottom:1px solid var(--line);padding-bottom:.3rem;margin-top:3rem}
article{margin:2rem 0;padding:1.25rem;border:1px solid var(--line);border-radius:.6rem}
article h3{margin:0 0 .25rem;font-size:1rem;overflow-wrap:anywhere}
.method{display:inline-block;min-width:4.2rem;text-align:center;border-radius:.3rem;padding:.1rem .4rem;margin-right:.5rem;font:600 .75rem/1.5 ui-monospace,monospace;color:#fff;background:#51606f}
.get{background:#1e6f50}.post{background:#0b5cab}.delete{background:#a8323e}.patch,.put{background:#8a5a00}
.auth{color:var(--soft);font-size:.875rem}h4{margin:1.25rem 0 .4rem;font-size:.875rem}
table{border-collapse:collapse;width:100%;font-size:.875rem}th,td{text-align:left;vertical-align:top;padding:.35rem .5rem;border-bottom:1px solid var(--line);overflow-wrap:anywhere}
th{color:var(--soft);font-weight:600;white-space:nowrap}td:first-child{min-width:12rem}td:nth-child(-n+3){overflow-wrap:normal}.wide{overflow-x:auto}
code,pre{font-family:ui-monospace,monospace;font-size:.8125rem}
pre{background:var(--panel);border:1px solid var(--line);padding:.75rem;border-radius:.4rem;overflow-x:auto}
nav input{width:100%;margin-top:.75rem;padding:.35rem .5rem;font:inherit;color:inherit;background:var(--page);border:1px solid var(--line);border-radius:.3rem}
[hidden]{display:none!important}.to-menu{display:none}
@media(max-width:50rem){body{grid-template-columns:minmax(0,1fr)}nav{order:1;position:static;height:auto;border-right:0}.to-menu{display:inline}}
`;
