import { useQuery } from '@tanstack/react-query';
import { sizeOf } from '../composer/size-of.js';
import { downloadAsset, useAssetUrl } from '../data/asset-url.js';
import { client } from '../data/client.js';
import { Icon } from '../ui/icon.js';
import { toast } from '../ui/toast.js';
import { Picture } from './picture.js';

/** Pictures that are nothing but pictures. SVG may hold a program, and is a file like any other. */
const SHOWN = /^image\/(?:png|jpeg|gif|webp|avif|bmp)$/;

export function Attachment({ assetId }: { readonly assetId: string }) {
  const { data: asset, error } = useQuery({
    queryKey: ['asset', assetId],
    queryFn: () => client.assets.get(assetId),
    staleTime: Infinity,
  });
  const isShown = asset !== undefined && SHOWN.test(asset.mediaType);
  const url = useAssetUrl(assetId, asset?.mediaType ?? '', isShown);
  if (error) return <p className="text-[13px] text-faint">This attachment no longer exists.</p>;
  if (!asset || (isShown && url === undefined)) return <div className="h-9" />;
  const { bytes, name } = asset;
  if (url !== undefined) {
    return <Picture url={url} name={name ?? 'Image'} fileName={name ?? assetId} bytes={bytes} />;
  }
  return (
    <a
      href={client.assets.rawUrl(assetId)}
      download={name ?? assetId}
      onClick={(event) => {
        event.preventDefault();
        void downloadAsset(assetId, name ?? assetId).catch(toast.problem);
      }}
      className="my-1 flex w-fit max-w-full items-center gap-2 rounded-md border border-line bg-raised px-2.5 py-1.5 text-[13px] hover:bg-hover"
    >
      <Icon name="file" className="text-faint" />
      <span className="truncate">{name ?? 'File'}</span>
      <span className="shrink-0 text-xs text-faint">{sizeOf(bytes)}</span>
      <span className="sr-only">, download</span>
    </a>
  );
}
