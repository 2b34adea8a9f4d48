// SPDX-License-Identifier: Apache-2.0
// State in the link's fragment: #s= and base64url of deflated JSON.

async function pipe(bytes: Uint8Array<ArrayBuffer>,
                    through: CompressionStream | DecompressionStream) {
  const stream = new Blob([bytes]).stream().pipeThrough(through);
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export type PageState = Record<string, unknown>;

export async function toFragment(state: PageState): Promise<string> {
  const bytes = await pipe(new TextEncoder().encode(JSON.stringify(state)),
    new CompressionStream('deflate-raw'));
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return '#s=' + btoa(text).replaceAll('+', '-').replaceAll('/', '_')
    .replaceAll('=', '');
}

/** undefined: no state there. Throws for one that cannot be read. */
export async function fromFragment(hash: string):
  Promise<PageState | undefined> {
  if (!hash.startsWith('#s=')) return undefined;
  const text = atob(hash.slice(3).replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = await pipe(Uint8Array.from(text, (c) => c.charCodeAt(0)),
    new DecompressionStream('deflate-raw'));
  const state: unknown = JSON.parse(new TextDecoder().decode(bytes));
  if (typeof state !== 'object' || state === null || Array.isArray(state))
    throw new Error('not an object');
  return state as PageState;
}

/** Put the state into the address, and the address onto the clipboard. */
export async function copyLink(state: PageState): Promise<string> {
  const fragment = await toFragment(state);
  history.replaceState(null, '', fragment);
  try {
    await navigator.clipboard.writeText(location.href);
    return fragment.length > 8192
      ? `Copied: a long link, ${fragment.length} letters.` : 'Link copied.';
  } catch {
    return 'The link is in the address bar.';
  }
}
