/** The length of bytes after FastLZ, by which OP-stack chains estimate what a transaction takes on L1. Pure. */

/** Bits of a hash of three bytes, and how far back a match may lie. */
const hashBits = 13
const mostDistance = 0x1fff
/** The last bytes are never part of a match. */
const tail = 13
/** Literals go in runs of so many with one byte in front of each run. */
const run = 32
/** Longest match that one instruction copies, and the shortest that needs a byte more. */
const longestMatch = 262
const longMatch = 6

/** @see ethereum-optimism/op-geth, core/types/rollup_cost.go, FlzCompressLen; Vectorized/solady, LibZip.flzCompress */
export function fastLzLength(bytes: Uint8Array): number {
  const limit = Math.max(0, bytes.length - tail)
  const places = new Uint32Array(1 << hashBits)
  let length = 0
  let copied = 0
  let place = 2
  while (place < limit) {
    const found = nextMatch(bytes, places, place, limit)
    if (!found) break
    if (found.place > copied) length += literalLength(found.place - copied)
    const compared = comparedLength(bytes, found.before + 3, found.place + 3, limit + 9)
    length += matchLength(compared)
    const behind = found.place + compared
    for (const each of [behind, behind + 1]) places[hashOf(bytes, each)] = each
    copied = behind + 2
    place = copied
  }
  return length + literalLength(bytes.length - copied)
}

/** The next place whose three bytes have stood before, within reach; null: there is none. */
function nextMatch(bytes: Uint8Array, places: Uint32Array, from: number, limit: number) {
  for (let place = from; place < limit - 1; place++) {
    const hash = hashOf(bytes, place)
    const before = places[hash] ?? 0
    places[hash] = place
    const isNear = place - before <= mostDistance
    if (isNear && word(bytes, place) === word(bytes, before)) return { place, before }
  }
  return null
}

/** How many bytes are equal, and the first one that is not, before `end`. */
function comparedLength(bytes: Uint8Array, before: number, place: number, end: number): number {
  let length = 0
  while (place + length < end) {
    length++
    if (bytes[before + length - 1] !== bytes[place + length - 1]) break
  }
  return length
}

function literalLength(count: number): number {
  const rest = count % run
  return Math.floor(count / run) * (run + 1) + (rest ? rest + 1 : 0)
}

/** @param compared - bytes behind the three of the hash, with the first one that differs. */
function matchLength(compared: number): number {
  const copied = compared - 1
  return 3 * Math.floor(copied / longestMatch) + (copied % longestMatch >= longMatch ? 3 : 2)
}

function word(bytes: Uint8Array, place: number): number {
  return (bytes[place] ?? 0) | ((bytes[place + 1] ?? 0) << 8) | ((bytes[place + 2] ?? 0) << 16)
}

function hashOf(bytes: Uint8Array, place: number): number {
  return (Math.imul(word(bytes, place), 2_654_435_769) >>> (32 - hashBits)) & mostDistance
}
