import path from 'node:path';

export interface NavigationLink {
  readonly title: string;
  /** `docs/operating.md` */
  readonly page: string;
}

interface Page {
  readonly title: string;
  readonly html: string;
  /** Its address on the site, and its source file. */
  readonly address: string;
  readonly page: string;
  readonly navigation: readonly NavigationLink[];
  readonly addressOf: (page: string) => string;
}

/** A complete page with navigation and text. It loads no external files, and is readable on a phone. */
export function sitePage({ title, html, address, page, navigation, addressOf }: Page): string {
  const links = [{ title: 'Overview', page: 'README.md' }, ...navigation].map((link) => {
    const href = path.posix.relative(path.posix.dirname(address), addressOf(link.page));
    return `<a href="${href}"${link.page === page ? ' aria-current="page"' : ''}>${link.title}</a>`;
  });
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title === 'iceberg-registrar' ? title : `${title} · iceberg-registrar`}</title>
<style>${STYLE}</style>
<details class="menu"><summary>Pages</summary><nav>${links.join('\n')}</nav></details>
<nav class="side">${links.join('\n')}</nav>
<main>
${html}</main>
</html>
`;
}

const STYLE = `
:root{color-scheme:light dark;--faint:#8883;--link:#0969da}
@media(prefers-color-scheme:dark){:root{--link:#58a6ff}}
body{font:16px/1.6 system-ui,sans-serif;margin:0 auto;padding:1rem;max-width:76rem;display:grid;grid-template-columns:13rem minmax(0,1fr);gap:2rem}
nav a{display:block;padding:.15rem 0}nav a[aria-current]{font-weight:600;color:inherit;text-decoration:none}
.side{position:sticky;top:1rem;align-self:start;font-size:.9rem}.menu{display:none}
@media(max-width:50rem){body{display:block}.side{display:none}.menu{display:block;margin-bottom:1rem}}
a{color:var(--link);text-decoration-thickness:1px;text-underline-offset:2px}
h1{margin-top:0}h1,h2,h3{line-height:1.25;overflow-wrap:anywhere}h2{border-bottom:1px solid var(--faint);padding-bottom:.2rem;margin-top:2rem}
table{border-collapse:collapse;display:block;overflow-x:auto}th,td{text-align:left;vertical-align:top;padding:.25rem .8rem .25rem 0;border-bottom:1px solid var(--faint)}
code,pre{font:.875em/1.5 ui-monospace,monospace;background:var(--faint);border-radius:4px}code{padding:.1em .3em;overflow-wrap:anywhere}
pre{padding:.8rem;overflow-x:auto}pre code{background:none;padding:0;overflow-wrap:normal}
blockquote{margin:1rem 0;padding:.1rem 1rem;border-left:3px solid var(--faint)}img,svg{max-width:100%;height:auto}
`;
