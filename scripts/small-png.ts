/** Makes pictures of pages small: 256 colours in place of millions, which no reader of a page tells apart. */
import { crc32, deflateSync, inflateSync } from 'node:zlib'

const signature = 8
const mostColours = 256

/** @param png - of eight bits for each of red, green and blue, with or without alpha, not interlaced. */
export function smallPng(png: Buffer): Buffer {
  const width = png.readUInt32BE(16)
  const height = png.readUInt32BE(20)
  const bytes = png[25] === 6 ? 4 : 3
  const pixels = unfiltered(inflateSync(dataOf(png)), width * bytes, height, bytes)
  const colours = Array.from({ length: width * height }, (_, at) =>
    pixels.readUIntBE(at * bytes, 3),
  )
  const palette = mostFrequent(colours)
  const places = new Map(palette.map((colour, place) => [colour, place]))
  const rows = Buffer.alloc(height * (width + 1))
  for (const [at, colour] of colours.entries()) {
    const place = places.get(colour) ?? nearest(palette, colour)
    places.set(colour, place)
    rows[Math.floor(at / width) * (width + 1) + 1 + (at % width)] = place
  }
  return indexed(width, height, palette, rows)
}

function mostFrequent(colours: readonly number[]): readonly number[] {
  const counts = new Map<number, number>()
  for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1)
  const sorted = [...counts].sort((a, b) => b[1] - a[1])
  return sorted.slice(0, mostColours).map(([colour]) => colour)
}

/** @returns its place in the palette. */
function nearest(palette: readonly number[], colour: number): number {
  const parts = (one: number) => [one >> 16, (one >> 8) & 255, one & 255]
  const own = parts(colour)
  const distances = palette.map((one) =>
    parts(one).reduce((sum, part, index) => sum + (part - (own[index] ?? 0)) ** 2, 0),
  )
  return distances.indexOf(Math.min(...distances))
}

function dataOf(png: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = signature; at < png.length; ) {
    const length = png.readUInt32BE(at)
    const name = png.toString('latin1', at + 4, at + 8)
    if (name === 'IDAT') parts.push(png.subarray(at + 8, at + 8 + length))
    at += length + 12
  }
  return Buffer.concat(parts)
}

/** @see https://www.w3.org/TR/png-3/#9Filters */
function unfiltered(data: Buffer, row: number, height: number, bytes: number): Buffer {
  const out = Buffer.alloc(row * height)
  for (let y = 0; y < height; y++) {
    const kind = data[y * (row + 1)]
    for (let x = 0; x < row; x++) {
      const left = x < bytes ? 0 : (out[y * row + x - bytes] ?? 0)
      const up = y === 0 ? 0 : (out[(y - 1) * row + x] ?? 0)
      const corner = x < bytes || y === 0 ? 0 : (out[(y - 1) * row + x - bytes] ?? 0)
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][kind ?? 0] ?? 0
      out[y * row + x] = (data[y * (row + 1) + 1 + x] ?? 0) + guess
    }
  }
  return out
}

function paeth(left: number, up: number, corner: number): number {
  const toLeft = Math.abs(up - corner)
  const toUp = Math.abs(left - corner)
  const toCorner = Math.abs(left + up - 2 * corner)
  if (toLeft <= toUp && toLeft <= toCorner) return left
  return toUp <= toCorner ? up : corner
}

function indexed(width: number, height: number, colours: readonly number[], rows: Buffer): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 3], 8)
  const palette = Buffer.from(colours.flatMap((one) => [one >> 16, (one >> 8) & 255, one & 255]))
  return Buffer.concat([
    Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]),
    chunk('IHDR', header),
    chunk('PLTE', palette),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const check = Buffer.alloc(4)
  check.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, check])
}
