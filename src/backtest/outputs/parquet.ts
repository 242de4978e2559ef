/** Parquet: a row group per 10,000 records or a block more, so that no more of them are in memory. */
import type { SchemaElement } from 'hyparquet-writer'
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import type { JobPlan } from '../../domain/backtest.js'
import { bigintToString } from '../../domain/primitives.js'
import { toPlanRecord } from '../../wire/plan.js'
import type { Encoder } from './encoder.js'
import type { Column, Record, RecordTable, Value } from './records.js'

const recordsPerGroup = 10_000

/** uint256 does not fit any type of Parquet: amounts are text, with a double beside them where one is handy. */
const types: { readonly [T in Column['type']]: Omit<SchemaElement, 'name'> } = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  amount: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  integer: { type: 'INT64' },
  double: { type: 'DOUBLE' },
  boolean: { type: 'BOOLEAN' },
  time: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
}

export function parquetEncoder<Block>(
  plan: JobPlan,
  { columns, recordsOf }: RecordTable<Block>,
): Encoder<Block> {
  const bytes = new ByteWriter()
  const writer = new ParquetWriter({
    writer: bytes,
    schema: [
      { name: 'root', num_children: columns.length },
      ...columns.map(
        ({ name, type }): SchemaElement => ({ name, repetition_type: 'OPTIONAL', ...types[type] }),
      ),
    ],
    kvMetadata: [
      { key: 'forkroute.plan', value: JSON.stringify(toPlanRecord(plan), bigintToString) },
    ],
    createdBy: 'forkroute',
  })
  let waiting: Record[] = []
  const writeGroup = () => {
    if (waiting.length === 0) return
    const columnData = columns.map(({ name, type }, index) => ({
      name,
      data: waiting.map((record) => cell(type, record[index] ?? null)),
    }))
    // Resolved at once, as everything of a writer into memory.
    void writer.write({ columnData, rowGroupSize: waiting.length })
    waiting = []
  }
  /** What was written since the last time; offsets go on counting. */
  const taken = (): Uint8Array => {
    const part = bytes.getBytes().slice()
    bytes.index = 0
    return part
  }
  return {
    add(block) {
      waiting.push(...recordsOf(block))
      if (waiting.length >= recordsPerGroup) writeGroup()
      return taken()
    },
    end() {
      writeGroup()
      void writer.finish()
      return taken()
    },
  }
}

function cell(type: Column['type'], value: Value): Value | Date {
  return type === 'time' && typeof value === 'bigint' ? new Date(Number(value) * 1_000) : value
}
