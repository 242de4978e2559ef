/**
 * Aerodrome's contracts: their own sources, which a package ships with the ERC-20 of a later library, put back to the
 * library and the compiler of their repository. Velodrome's factory is the same with three addresses before its mappings.
 * @see aerodrome-finance/contracts a5fae2e; velodrome-finance/contracts 7a74cab, contracts/factories/PoolFactory.sol
 */
import { compilePackage } from './package-sources.js'

export const aerodromeSources = {
  name: 'sphere-mezo-solidity-files',
  version: '1.2.0',
  integrity:
    'sha512-slDQvcqBgUQKzVLo5uHVKH3E367t07TPXNcHzxuSXaH/1iVWWDPnmXD6Z+BlvcI+QPcOTq/6PSpqS+zu4krT/g==',
}

const set = {
  compiler: {
    name: 'solc',
    version: '0.8.19',
    integrity:
      'sha512-yqurS3wzC4LdEvmMobODXqprV4MYJcVtinuxgrp61ac8K2zz40vXA0eSAskSHPgv8dQo7Nux39i3QBsHx4pqyA==',
  },
  folders: [
    {
      ...aerodromeSources,
      folder: 'package/domains/aerodrome/contracts/',
      prefix: 'contracts/',
    },
    {
      name: '@openzeppelin/contracts',
      version: '4.9.6',
      integrity:
        'sha512-xSmezSupL+y9VkHZJGDoCBpmnB2ogM13ccaYDWqJTfS3dbuHkgjuwDFUmaFauBCboQMGB/S5UqUl2y54X99BmA==',
      folder: 'package/',
      prefix: '@openzeppelin/contracts/',
    },
  ],
  contracts: { Pool: 'contracts/Pool.sol', PoolFactory: 'contracts/factories/PoolFactory.sol' },
  edits: [
    ['contracts/', 'pragma solidity ^0.8.20;', 'pragma solidity 0.8.19;'],
    ['contracts/Pool.sol', 'contracts/utils/ReentrancyGuard', 'contracts/security/ReentrancyGuard'],
    [
      'contracts/Pool.sol',
      'function _update(address from, address to, uint256 value) internal',
      'function _beforeTokenTransfer(address from, address to, uint256) internal',
    ],
    ['contracts/Pool.sol', 'super._update(from, to, value);', ''],
  ],
  settings: { optimizer: { enabled: true, runs: 200 } },
} as const

export const compileAerodrome = () => compilePackage(set)

export const compileVelodrome = () =>
  compilePackage({
    ...set,
    edits: [
      ...set.edits,
      [
        'contracts/factories/PoolFactory.sol',
        'address public voter;',
        'address public voter; address public velo; address public veloV2; address public sinkConverter;',
      ],
    ],
  })
