import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { client } from './client.js';

/*
 * An image and a link cannot send the access token, and a secret must not be part of an address. So the page reads the
 * bytes of an asset itself and shows them from memory.
 */

/** The address of a picture in the memory of this page; undefined until it is read. */
export function useAssetUrl(
  assetId: string,
  mediaType: string,
  isWanted: boolean,
): string | undefined {
  const { data: blob } = useQuery({
    queryKey: ['asset-bytes', assetId],
    queryFn: () => readAsset(assetId, mediaType),
    staleTime: Infinity,
    enabled: isWanted,
  });
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (!blob) return undefined;
    const made = URL.createObjectURL(blob);
    setUrl(made);
    return () => {
      setUrl(undefined);
      URL.revokeObjectURL(made);
    };
  }, [blob]);
  return url;
}

export async function readAsset(assetId: string, mediaType: string): Promise<Blob> {
  return new Blob([new Uint8Array(await client.assets.raw(assetId))], { type: mediaType });
}

const KEPT_MS = 60_000;

/** As bytes of no kind: opened by accident, the file must not run as a page of this origin. */
export async function downloadAsset(assetId: string, name: string): Promise<void> {
  const url = URL.createObjectURL(await readAsset(assetId, 'application/octet-stream'));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser reads it after this returns.
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}
