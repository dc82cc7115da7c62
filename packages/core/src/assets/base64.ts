import { StoaError } from '@stoa/protocol';

/** Strict: refuses text that is not the encoding of its bytes. */
export function decodeBase64(text: string): Uint8Array {
  const binary = decode(text);
  if (btoa(binary) !== text)
    throw new StoaError('invalid_request', 'The inline asset is not valid base64');
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

function decode(text: string): string {
  try {
    return atob(text);
  } catch (error) {
    throw new StoaError('invalid_request', 'The inline asset is not valid base64', [], {
      cause: error,
    });
  }
}
