/** The subset of XML that S3 uses: elements and text, without attributes to read and without mixed content. */

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
};
const names: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

export type XmlContent = string | number | boolean | readonly (XmlElement | undefined)[];
export type XmlElement = readonly [name: string, content: XmlContent];

/** A document with one root; undefined elements are left out. */
export function writeXml(root: XmlElement): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${write(root)}`;
}

function write([name, content]: XmlElement): string {
  const text =
    typeof content === 'object'
      ? content.map((element) => (element === undefined ? '' : write(element))).join('')
      : String(content).replaceAll(/[&<>"\r]/g, (character) => entities[character] ?? character);
  return `<${name}>${text}</${name}>`;
}

/** The inner XML of every `name` element at any depth. Elements of the same name never nest in S3's documents. */
export function xmlElements(xml: string, name: string): readonly string[] {
  const pattern = new RegExp(`<${name}(?:\\s[^>]*)?>([\\s\\S]*?)</${name}>`, 'g');
  return [...xml.matchAll(pattern)].map((match) => match[1] ?? '');
}

/** The text of the first `name` element. */
export function xmlText(xml: string, name: string): string | undefined {
  return xmlElements(xml, name)[0]?.replaceAll(
    /&(?:#x([\da-f]+)|#(\d+)|(\w+));/gi,
    (whole, hex, decimal, entity) => {
      if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
      if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
      return names[entity] ?? whole;
    },
  );
}
