import { Marked } from 'marked';

export interface RenderedPage {
  readonly title: string;
  readonly html: string;
  /** The files of the checkout to which it links, without fragments. */
  readonly links: readonly string[];
}

/**
 * A page as HTML, whose headings have the same anchors as on GitHub.
 *
 * @param addressOf the address on the site for a link to a file
 */
export function renderedPage(markdown: string, addressOf: (link: string) => string): RenderedPage {
  const links: string[] = [];
  let title = '';
  const local = (href: string): string => {
    const [file = '', heading] = href.split('#');
    if (/^[a-z]+:/.test(href) || file === '') return href;
    links.push(file);
    return heading === undefined ? addressOf(file) : `${addressOf(file)}#${heading}`;
  };
  const marked = new Marked({
    gfm: true,
    walkTokens: (token) => {
      if (token.type === 'link' || token.type === 'image') token['href'] = local(String(token['href']));
      if (token.type === 'html')
        token['text'] = String(token['text']).replaceAll(
          SOURCE,
          (_, start: string, href: string) => `${start}${local(href)}"`,
        );
    },
  });
  marked.use({
    renderer: {
      heading({ tokens, depth, text }) {
        const inner = this.parser.parseInline(tokens);
        if (depth === 1) title ||= this.parser.parseInline(tokens, this.parser.textRenderer);
        return `<h${depth} id="${headingId(text)}">${inner}</h${depth}>\n`;
      },
    },
  });
  const html = marked.parse(markdown, { async: false });
  return { title, html, links };
}

const SOURCE = /(\b(?:src|href)=")([^"]+)"/g;

/** `## deployment.yaml` → `deploymentyaml`. */
function headingId(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}
