/** State and blocks in a cassette: the rows that stand for what a chain would answer. */
import type Database from 'better-sqlite3'
import { CassetteAnswers } from './cassette-answers.js'
import { CassetteBlocks } from './cassette-blocks.js'
import { CassetteCells } from './cassette-cells.js'

export class CassetteState {
  readonly blocks: CassetteBlocks
  readonly cells: CassetteCells
  readonly answers: CassetteAnswers

  /** @param db - of `openCassetteFile`. */
  constructor(db: Database.Database) {
    this.blocks = new CassetteBlocks(db)
    this.cells = new CassetteCells(db)
    this.answers = new CassetteAnswers(db)
  }
}
