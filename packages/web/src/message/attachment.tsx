import { useQuery } from '@tanstack/react-query';
import { client } from '../data/client.js';

export function Attachment({ assetId }: { readonly assetId: string }) {
  const { data: asset } = useQuery({
    queryKey: ['asset', assetId],
    queryFn: () => client.assets.get(assetId),
    staleTime: Infinity,
  });
  return (
    <p>
      <a
        href={`/v1/assets/${assetId}/raw`}
        download={asset?.name ?? assetId}
        className="text-accent underline"
      >
        {asset?.name ?? 'Attachment'}
      </a>
    </p>
  );
}
