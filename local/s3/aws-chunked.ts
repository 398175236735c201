/**
 * The payload of a body in `Content-Encoding: aws-chunked`, as the SDKs send streams: `<hex size>[;chunk-signature=…]\r\n<data>\r\n`,
 * ended by a chunk of no bytes and trailers. Signatures and trailing checksums are not verified.
 */
export function decodeAwsChunked(body: Buffer): Buffer {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = body.indexOf('\r\n', at);
    const size = Number.parseInt(body.toString('latin1', at, lineEnd), 16);
    if (lineEnd === -1 || Number.isNaN(size))
      throw new RangeError(`Cannot decode aws-chunked body: no chunk size at ${at}`);
    if (size === 0) return Buffer.concat(chunks);
    const start = lineEnd + 2;
    if (start + size > body.length)
      throw new RangeError(`Cannot decode aws-chunked body: chunk at ${at} is cut short`);
    chunks.push(body.subarray(start, start + size));
    at = start + size + 2;
  }
}
