import type { FileSystem } from '#filesystem/port.ts';
import { newSegment, newUploadGroup } from '../../keys.ts';
import { type PackedPlace, packedKey, parsePackedKey } from '../../packed-key.ts';
import { type PackedPart, segmentBytes } from '../../segments/format.ts';
import type { Disk } from '../disk.ts';
import { diskError } from '../disk-errors.ts';
import type { Layout } from '../layout.ts';
import { noSuchPackedObject, type PackedObjects } from './packed-objects.ts';
import { segmentPath, writeSegment } from './segment-file.ts';

interface PackPorts {
  readonly files: FileSystem;
  readonly layout: Layout;
  readonly disk: Disk;
  readonly objects: PackedObjects;
}

interface Copy {
  readonly segment: string;
  readonly parts: PackedPart[];
  readonly pieces: Buffer[];
  bytes: number;
}

/**
 * Writes objects into new segments, and returns their new keys in order. What was written is flushed. If it fails half
 * way, the written segments are known to nobody, and `listSegments` tells of them.
 */
export async function pack(ports: PackPorts, keys: readonly string[]): Promise<string[]> {
  const packed: string[] = [];
  let copy = newCopy();
  try {
    for (const key of keys) {
      const place = placeOf(key);
      if (copy.bytes + place.length > segmentBytes) {
        await write(ports, copy);
        copy = newCopy();
      }
      const part = { ...ports.objects.part(place), offset: copy.bytes };
      copy.pieces.push(await ports.objects.read(place));
      copy.parts.push(part);
      copy.bytes += part.length;
      packed.push(packedKey({ segment: copy.segment, offset: part.offset, length: part.length }));
    }
    if (copy.parts.length > 0) await write(ports, copy);
    return packed;
  } catch (error) {
    throw diskError(error);
  }
}

const newCopy = (): Copy => ({ segment: newSegment(newUploadGroup()), parts: [], pieces: [], bytes: 0 });

function placeOf(key: string): PackedPlace {
  const place = parsePackedKey(key);
  if (!place) throw noSuchPackedObject();
  return place;
}

async function write({ files, layout, disk }: PackPorts, { segment, parts, pieces }: Copy): Promise<void> {
  const folder = layout.storedSegments(segment);
  await writeSegment(
    files,
    { segment, parts, pieces },
    { folder: layout.openSegments(segment), path: segmentPath(folder, segment), flush: true },
  );
  await disk.syncFolder(folder);
}
