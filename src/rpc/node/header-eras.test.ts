/** Headers of Ethereum mainnet, one of each set of rules: facts of the chain, as any node prints them. */
import { expect, test } from 'vitest'
import { headerHash } from '../../verify/header.js'
import { toPin } from './header.js'

const noUncles = '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347'

/**
 * @see risechain/pevm, data/ethereum/blocks (first six); ethereum/portal-spec-tests, block-data-22431084.yaml
 * (22,431,084; its hash: go-ethereum, core/history); 0xPolygonHermez/zisk-eth-client,
 * witness of 24,628,608 (24,628,607)
 */
const headers = [
  {
    rules: 'Istanbul',
    shown: 'berlin',
    header: {
      parentHash: '0x3da3810512c43d7b8b7c42c124456099d4b2f2bc135513de75607f88737283b0',
      sha3Uncles: noUncles,
      miner: '0x5a0b54d5dc17e0aadc383d2db43b0a0d3e029c4c',
      stateRoot: '0xc84aad18d4b97e4cb6b857f6ca03a39bad6bf67c1338fb4e842eac6479e246d0',
      transactionsRoot: '0xefc43728aa2b7832c0b81b407e63d665f4eb5c93980dd5bb45531a11b7149a21',
      receiptsRoot: '0x28634dfa0f95b9ae3f64379be4b286f040d691e15c23b0d13aef4a9ad9bf4ef8',
      logsBloom:
        '0x9a205194c106a0c09884df4e862b94a9412a0038911b124c10c10444014c60cd280054e46618199540134296921203020a2c8003496100618c00de842c64404360a140a28323e32849a2a408ad8268e26402f98487e63860900ea97d83401238b244200c9a1dc2e929c4d081e61ab8100cc00c039320b4344a8d403943808a408b0d9a0601546aa5046023c448111d1802038835654eec7a84d803c1d2700200c36b0846df40264624035aa8a817b6208201092380c2237428020800a00a1c31dd2913026d880029082b1202034d0054782082004228a7181290682e01e275f0151a6b2913b871d09a000c02094330902025a214b14931500802522f228f106c',
      difficulty: '0xa0ac4baae8216',
      number: '0xa430f8',
      gasLimit: '0xbe5c65',
      gasUsed: '0xbe39ba',
      timestamp: '0x5f4b3e4a',
      extraData: '0x6574682d70726f2d687a6f2d74303035',
      mixHash: '0xd77031dea5730f77a03389605e08ffb57ff6a997f6175e61c7fc5868b0886daf',
      nonce: '0x4ea80540006bcd49',
      hash: '0xb858c7f81ed478601e97e216dbd830d2098ef46f852839a19ac402ad8506f1b5',
    },
  },
  {
    rules: 'Berlin',
    shown: 'berlin',
    header: {
      parentHash: '0xd44a4d33e28d7ea9edd12b69bd32b394587eee498b0e2543ce2bad1877ffbeac',
      sha3Uncles: noUncles,
      miner: '0x1ad91ee08f21be3de0ba2ba6918e714da6b45836',
      stateRoot: '0xfdec060ee45e55da9e36060fc95dddd0bdc47e447224666a895d9f0dc9adaa0c',
      transactionsRoot: '0x092d9fcc02ca9b372daec726704ce720d3aa366739868f4820ecaabadb9ac309',
      receiptsRoot: '0x974fee017515a46303f467b6fd50872994db1b0ea64d3455bad93ff9678aced9',
      logsBloom:
        '0x356050004c5c89691add79838a01d4c302419252a4d3c96e9273908b7ee84660886c070607b4928c416a1800746a0d1dbb442d0baf06eea321422263726748600cc200e82aec08336863514d12d665718016989189c116bc0947046cc6718110586c11464a189000a11a41cc96991970153d88840768170244197e164c6204249b9091a0052ac85088c8108a4418dd2903690a036722623888ea14e90458a390a305a2342cb02766094f68c4100036330719848b48411614686717ab6068a46318204232429dc42020608802ceecd66c3c33a3a1fc6e82522049470328a4a81ba07c6604228ba94f008476005087a6804463696b41002650c0fdf548448a9040',
      difficulty: '0x17ca31b6d618e8',
      number: '0xbad420',
      gasLimit: '0xbe153b',
      gasUsed: '0xbdfbb1',
      timestamp: '0x60781047',
      extraData: '0x307834383639373636353666366532303530366636663663',
      mixHash: '0xae1de0acd35a98e211c7e276ad7524bb84a5e1b8d33dd7d1c052b095b564e8b8',
      nonce: '0xcca66773148b6e12',
      hash: '0x1638380ab737e0e916bd1c7f23bd2bab2a532e44b90047f045f262ee21c42b21',
    },
  },
  {
    rules: 'London',
    shown: 'london',
    header: {
      parentHash: '0x3de6bb3849a138e6ab0b83a3a00dc7433f1e83f7fd488e4bba78f2fe2631a633',
      sha3Uncles: noUncles,
      miner: '0x7777788200b672a42421017f65ede4fc759564c8',
      stateRoot: '0x41cf6e8e60fd087d2b00360dc29e5bfb21959bce1f4c242fd1ad7c4da968eb87',
      transactionsRoot: '0xdfcb68d3a3c41096f4a77569db7956e0a0e750fad185948e54789ea0e51779cb',
      receiptsRoot: '0x8a8865cd785e2e9dfce7da83aca010b10b9af2abbd367114b236f149534c821d',
      logsBloom:
        '0x24e74ad77d9a2b27bdb8f6d6f7f1cffdd8cfb47fdebd433f011f7dfcfbb7db638fadd5ff66ed134ede2879ce61149797fbcdf7b74f6b7de153ec61bdaffeeb7b59c3ed771a2fe9eaed8ac70e335e63ff2bfe239eaff8f94ca642fdf7ee5537965be99a440f53d2ce057dbf9932be9a7b9a82ffdffe4eeee1a66c4cfb99fe4540fbff936f97dde9f6bfd9f8cefda2fc174d23dfdb7d6f7dfef5f754fe6a7eec92efdbff779b5feff3beafebd7fd6e973afebe4f5d86f3aafb1f73bf1e1d0cdd796d89827edeffe8fb6ae6d7bf639ec5f5ff4c32f31f6b525b676c7cdf5e5c75bfd5b7bd1928b6f43aac7fa0f6336576e5f7b7dfb9e8ebbe6f6efe2f9dfe8b3f56',
      difficulty: '0x1b81c1fe05b218',
      number: '0xc5d488',
      gasLimit: '0x1ca3542',
      gasUsed: '0x1ca2629',
      timestamp: '0x610bdaa6',
      extraData: '0x68747470733a2f2f7777772e6b7279707465782e6f7267',
      mixHash: '0x9620b46a81a4795cf4449d48e3270419f58b09293a5421205f88179b563f815a',
      nonce: '0xb223da049adf2216',
      baseFeePerGas: '0x3b9aca00',
      hash: '0x9b83c12c69edb74f6c8dd5d052765c1adf940e320bd1291696e6fa07829eee71',
    },
  },
  {
    rules: 'Paris',
    shown: 'london',
    header: {
      parentHash: '0x55b11b918355b1ef9c5db810302ebad0bf2544255b530cdce90674d5887bb286',
      sha3Uncles: noUncles,
      miner: '0xeee27662c2b8eba3cd936a23f039f3189633e4c8',
      stateRoot: '0x40c07091e16263270f3579385090fea02dd5f061ba6750228fcc082ff762fda7',
      transactionsRoot: '0x1ea1746468686159ce730c1cc49a886721244e5d1fa9a06d6d4196b6f013c82c',
      receiptsRoot: '0x928073fb98ce316265ea35d95ab7e2e1206cecd85242eb841dbbcc4f568fca4b',
      logsBloom:
        '0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
      difficulty: '0x0',
      number: '0xed14f2',
      gasLimit: '0x1c9c380',
      gasUsed: '0x1c9811e',
      timestamp: '0x6322c973',
      extraData: '0x',
      mixHash: '0xa86c2e601b6c44eb4848f7d23d9df3113fbcac42041c49cbed5000cb4f118777',
      nonce: '0x0000000000000000',
      baseFeePerGas: '0xb5d68e0a3',
      hash: '0x56a9bb0302da44b8c0b3df540781424684c3af04d0b7a38d72842b762076a664',
    },
  },
  {
    rules: 'Shanghai',
    shown: 'shanghai',
    header: {
      parentHash: '0xc2558f8143d5f5acb8382b8cb2b8e2f1a10c8bdfeededad850eaca048ed85d8f',
      sha3Uncles: noUncles,
      miner: '0x388c818ca8b9251b393131c08a736a67ccb19297',
      stateRoot: '0x7fd42f5027bc18315b3781e65f19e4c8828fd5c5fce33410f0fb4fea0b65541f',
      transactionsRoot: '0x6f235d618461c08943aa5c23cc751310d6177ab8a9b9a7b66ffa637d988680e6',
      receiptsRoot: '0xe0ac34bafdd757bcca2dea27a3fc5870dd0836998877e29361c1fc55e19416ec',
      logsBloom:
        '0xb06769bc11f4d7a51a3bc4bed59367b75c32d1bd79e5970e73732ac0eed0251af0e2abc8811fc1b4c5d45a4a4eb5c5af9e73cc9a8be6ace72faadc03536d6b69fcdf80116fd89f7efbdbf38ff957e8f6ae83ccac60cf4b7c8b1c9487bebfa8ed6e42297e17172d5b678dd3f283b22f49bbf4a0565eb93d9d797b2f9a0adaff9813af53d6fffa71d5a6fb056ab73ca87659dc97c19f99839c6c3138e527161b4dfee8b1f64d42f927abc745f3ff168e8e9510e2e079f4868ba8ff94faf37c9a7947a43c1b4c931dfbef88edeb2d7ede5ceaebc85095cfbbd206646def0138683b687fa63fdf22898260d616bc714d698bc5748c7a5bff0a4a32dd797596a794a0',
      difficulty: '0x0',
      number: '0x103ee76',
      gasLimit: '0x1c9c380',
      gasUsed: '0x1c9bfe2',
      timestamp: '0x6437306f',
      extraData: '0xd883010b05846765746888676f312e32302e32856c696e7578',
      mixHash: '0x812ed704cc408c435c7baa6e86296c1ac654a139ae8c4a26d6460742b951d4f9',
      nonce: '0x0000000000000000',
      baseFeePerGas: '0x42fbae6d5',
      withdrawalsRoot: '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
      hash: '0xe22c56f211f03baadcc91e4eb9a24344e6848c5df4473988f893b58223f5216c',
    },
  },
  {
    rules: 'Cancun',
    shown: 'cancun',
    header: {
      parentHash: '0xdb672c41cfd47c84ddb478ffde5a09b76964f77dceca0e62bdf719c965d73e7f',
      sha3Uncles: noUncles,
      miner: '0xdae56d85ff707b3d19427f23d8b03b7b76da1006',
      stateRoot: '0xbd33ab68095087d81beb810b3f5d0b16050b3f798ae3978e440bab048dd78992',
      transactionsRoot: '0x20cbdd2cd6113eb72dade6be7ec18fe6a7167a8a0af912a2171af909a8cda9f6',
      receiptsRoot: '0x59c3691e83e0ddeafeedd07f5e30850cc6c963e85327aa1201fbe1f731ff3dbc',
      logsBloom:
        '0x0021000000000001080801008000320000000060000000000005000080c200040000100000006002440409000000010402011000890200000a201000042800440442148c0100208408004009012000200000040801644808800000600029068004012001020000002510000000020900c8122010020284000080021006000101000000401810621c0040000000001010000004800100404808000640255000002201000010002000000040c0000000000400a004000c0000884000304e00202400100402000000004204000004041008005600001000001000000003015030120012280000022020910040429204408020009000000010120000400000000400',
      difficulty: '0x0',
      number: '0x1286d1b',
      gasLimit: '0x1c9c380',
      gasUsed: '0x2830cd',
      timestamp: '0x65f1b057',
      extraData: '0xd883010d0e846765746888676f312e32312e37856c696e7578',
      mixHash: '0x2617b147c1b3cf43a28d08d508ab2d8860c6cf40da58837676cfaaf4f9e07f62',
      nonce: '0x0000000000000000',
      baseFeePerGas: '0xe6ca77a30',
      withdrawalsRoot: '0x6c119891018ed3a43d04197a8eb94d85f287304b8ace21b08e9f68cbd2f8de61',
      blobGasUsed: '0x0',
      excessBlobGas: '0x0',
      parentBeaconBlockRoot: '0xb35bb80bc5f4e3d8f19b62f6274add24dca334db242546c3024403027aaf6412',
      hash: '0xf8e2f40d98fe5862bc947c8c83d34799c50fb344d7445d020a8a946d891b62ee',
    },
  },
  {
    rules: 'Prague',
    shown: 'prague',
    header: {
      parentHash: '0x28fb2c1d988435955e569451c6ad772f7fb5e61cddd7463c7b60e933ed5ff237',
      sha3Uncles: noUncles,
      miner: '0xe688b84b23f322a994a53dbf8e15fa82cdb71127',
      stateRoot: '0x49d29cd525c7a9f4a33c1e2debc7529f24757c81f689b7276b70018333761b53',
      transactionsRoot: '0x6522a2eba58778c64f0facee1378ddcdb1b5927285f461f9a8314c1b5fe1e5b1',
      receiptsRoot: '0xf2260e554d7827e222789d9851f5f8a8a9bc78b1e81ea68da7314622f049924b',
      logsBloom:
        '0x1c2d14628013080620b50320a0885ae80185204a6c4841040101d009c41060fb05358520a00d00a540113a514a9e511c83350a088c22223c9281008042a800c40620120e024a19384a006b8856d324a4f0067931056c0d2c1d1072db844081406c4403ade3688228ef2e3ac201984e860e0163601130a7d2032d269401d9314008a8c14f4340130c4859105c0381a30d011902f175982858ad3c30fba23c55fa4b40003aa5c1688b4911a2e09c84e4213436420d50568100001d44080c8001d900a51c6252d429938181c431a0080b17c9342866c40c14d700853586c59a291632736c124b23800a00c6060c25d17e68a5301070438916505419a0550429469d',
      difficulty: '0x0',
      number: '0x156456c',
      gasLimit: '0x22550dd',
      gasUsed: '0x9d8f63',
      timestamp: '0x681b3057',
      extraData: '0xd883010f0b846765746888676f312e32342e32856c696e7578',
      mixHash: '0xef1ed97e3e0205c73f287f22c5900944da077daaadad17f57355fe7705cf3b05',
      nonce: '0x0000000000000000',
      baseFeePerGas: '0x548795d3',
      withdrawalsRoot: '0xc4f495225a2ac0cd4052c3493b36e96d0efe46eb0650ed124a9627f1badcc935',
      blobGasUsed: '0x120000',
      excessBlobGas: '0x3020000',
      parentBeaconBlockRoot: '0x947d22746be643f1428031a9ab7c58776ca54e461903bb5e4ba8a73448552967',
      requestsHash: '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      hash: '0x50c8cab760b2948349c590461b166773c45d8f4858cccf5a43025ab2960152e8',
    },
  },
  {
    rules: 'Osaka',
    shown: 'prague',
    header: {
      parentHash: '0x1fed00f48a765a81aa0adaf558d2dd597cc1141562ccbc239d04f40d67011384',
      sha3Uncles: noUncles,
      miner: '0x4838b106fce9647bdf1e7877bf73ce8b0bad5f97',
      stateRoot: '0xebe5670f335d9b36b3f3824bcda167b542acc86811784f6c4c073c46f53a6354',
      transactionsRoot: '0xf0b9f5ddf3218e063ff485123edb69ee8d4ec1a234749f140c6a14abf90a4c51',
      receiptsRoot: '0x83fdda090173bcc59479a90af13d53de02c7663e9591167c585a0c8a1e5155dc',
      logsBloom:
        '0x0020104a51000694260a2814e05110811140010804002028188f804004014c000c900910a85c008e009078c0f20801110a0023600c0d200000b505c8822606030106080016112a4ae900270c004844a130232031005420b88030936381020092980818004a23024c0000983400000890022980022110f620100440100208525280610c4849004428e0894254451000a0c00100054101240d0220595400122400475c186610402016009000a09811248540400844000000852124810100088100e10958074008094220280e12006afa650083224906800050050801020000a1428018694001020000a440522c208a088281e35400803900480211090070006100',
      difficulty: '0x0',
      number: '0x177cd7f',
      gasLimit: '0x3938700',
      gasUsed: '0x707f46',
      timestamp: '0x69b0570f',
      extraData: '0x546974616e2028746974616e6275696c6465722e78797a29',
      mixHash: '0xe6518cface78cc1a3b8cd618359abe9c3395a8a258e78836e5b57044ed50487a',
      nonce: '0x0000000000000000',
      baseFeePerGas: '0x90e9f95',
      withdrawalsRoot: '0x1900a10f3fc709da22d5f369affc9b95b5d48794ce637d6aa84c71c92b6a31a8',
      blobGasUsed: '0x0',
      excessBlobGas: '0xb231e0a',
      parentBeaconBlockRoot: '0x61d1ebaa8b0b30365a5f35c88ac0d1f54f3078d8eb92fd15502a1211ba787c9e',
      requestsHash: '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      hash: '0xd6edeb114882eb19af618789a4ebd5f84984e7d340d54459d1b2d9d7c1ed99a9',
    },
  },
] as const

test.each(headers)(
  'a header of $rules hashes to its hash, and shows $shown',
  ({ header, shown }) => {
    expect(headerHash(header)).toBe(header.hash)
    expect(toPin(1, header)).toMatchObject({
      hash: header.hash,
      shownHardFork: shown,
      difficulty: BigInt(header.difficulty),
      baseFeePerGas: 'baseFeePerGas' in header ? BigInt(header.baseFeePerGas) : 0n,
    })
  },
)

test.each(headers)('every field of a header of $rules counts', ({ header }) => {
  for (const [name, value] of Object.entries(header)) {
    if (name === 'hash') continue
    const last = value.endsWith('1') ? 2 : 1
    const changed = { ...header, [name]: value === '0x' ? '0x01' : value.slice(0, -1) + last }
    expect(headerHash(changed), name).not.toBe(header.hash)
  }
})

test('an absent field of later rules may be printed as null', () => {
  const [{ header }] = headers
  const later = { baseFeePerGas: null, withdrawalsRoot: null, parentBeaconBlockRoot: null }
  const printed = { ...header, ...later, requestsHash: null, blobGasUsed: null }
  expect(headerHash(printed)).toBe(header.hash)
  expect(toPin(1, printed)).toMatchObject({ shownHardFork: 'berlin', baseFeePerGas: 0n })
})
