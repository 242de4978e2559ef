// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {
    MakerUnderpaid,
    NotWholeOrder,
    NothingFilled,
    OrderCancelled,
    OrderExpired,
    OrderFilled,
    WrongSignature
} from "../Errors.sol";

/// @dev What a maker signs. It gives at most `amountOut` of tokenOut, and gets `amountIn` of tokenIn for all of it.
struct MakerOrder {
    address maker;
    address tokenIn;
    address tokenOut;
    uint256 amountIn;
    uint256 amountOut;
    /// Unix seconds: the last at which it can be filled.
    uint256 expiry;
    /// Orders of a maker may share one, and are then cancelled together.
    uint256 nonce;
    /// False: only all of it at once.
    bool partialFill;
}

/**
 * @title Settles orders that makers have signed, at the rate that they have signed, for anybody who pays.
 *
 * Holds nothing and has no owner. A maker allows it to spend tokenOut, and is paid in the same call. Its signature
 * binds the chain and this contract, so an order is worth nothing elsewhere.
 */
contract OrderSettlement is EIP712, ReentrancyGuardTransient {
    using SafeERC20 for IERC20;

    bytes32 public constant ORDER_TYPE =
        keccak256(
            "MakerOrder(address maker,address tokenIn,address tokenOut,"
            "uint256 amountIn,uint256 amountOut,uint256 expiry,uint256 nonce,bool partialFill)"
        );

    /// @notice Raw units of tokenIn that makers got already, by the hash of the order.
    mapping(bytes32 order => uint256 amountIn) public filled;

    /// @notice Whether the maker has cancelled all of its orders with that nonce.
    mapping(address maker => mapping(uint256 nonce => bool)) public cancelled;

    event Filled(bytes32 indexed order, address indexed maker, uint256 amountIn, uint256 amountOut);
    event Cancelled(address indexed maker, uint256 nonce);

    constructor() EIP712("Forkroute Orders", "1") {}

    /// @notice Ends all orders of the caller with that nonce. Safe to repeat.
    function cancel(uint256 nonce) external {
        cancelled[msg.sender][nonce] = true;
        emit Cancelled(msg.sender, nonce);
    }

    /**
     * @notice Pays the maker up to `amountIn` of tokenIn from the caller, and sends its tokenOut to the recipient.
     * @dev What is more than the order has left stays with the caller. The lock keeps a token that calls back from
     * having one payment counted for two orders.
     * @param amountIn Raw units; of an order without partial fills at least all of it.
     * @return amountOut Raw units that leave the maker, rounded down.
     */
    function fill(
        MakerOrder calldata order,
        bytes calldata signature,
        uint256 amountIn,
        address recipient
    ) external nonReentrant returns (uint256 amountOut) {
        if (block.timestamp > order.expiry) revert OrderExpired(order.expiry, block.timestamp);
        if (cancelled[order.maker][order.nonce]) revert OrderCancelled(order.maker, order.nonce);
        bytes32 hash = hashOf(order);
        uint256 before = filled[hash];
        if (before >= order.amountIn) revert OrderFilled(hash);
        amountIn = Math.min(amountIn, order.amountIn - before);
        if (!order.partialFill && amountIn != order.amountIn) revert NotWholeOrder(order.amountIn, amountIn);
        amountOut = _outputOf(order, amountIn);
        if (amountOut == 0) revert NothingFilled();
        if (!_isSignedByKey(order.maker, hash, signature) && !_isSignedByCode(order.maker, hash, signature)) {
            revert WrongSignature(order.maker);
        }
        filled[hash] = before + amountIn;
        _pay(order, amountIn, amountOut, recipient);
        emit Filled(hash, order.maker, amountIn, amountOut);
    }

    /// @return amountIn Raw units of tokenIn that `fill` would take at this time: by the signature, the order's terms,
    /// and what the maker has and allows. 0: it cannot be filled.
    /// @return held Raw units of tokenOut that the maker has and allows; its orders share them.
    /// @return byCode Whether code of the maker, and not its key, says that it has signed.
    function fillable(
        MakerOrder calldata order,
        bytes calldata signature
    ) external view returns (uint256 amountIn, uint256 held, bool byCode) {
        bytes32 hash = hashOf(order);
        uint256 before = filled[hash];
        if (block.timestamp > order.expiry || cancelled[order.maker][order.nonce] || before >= order.amountIn) {
            return (0, 0, false);
        }
        byCode = !_isSignedByKey(order.maker, hash, signature);
        if (byCode && !_isSignedByCode(order.maker, hash, signature)) return (0, 0, true);
        held = Math.min(
            IERC20(order.tokenOut).balanceOf(order.maker),
            IERC20(order.tokenOut).allowance(order.maker, address(this))
        );
        amountIn = order.amountIn - before;
        if (_outputOf(order, amountIn) > held) {
            amountIn = order.partialFill ? Math.mulDiv(held, order.amountIn, order.amountOut) : 0;
        }
        if (_outputOf(order, amountIn) == 0) amountIn = 0;
    }

    /// @return What the maker signs (EIP-712).
    function hashOf(MakerOrder calldata order) public view returns (bytes32) {
        return
            _hashTypedDataV4(
                keccak256(
                    abi.encode(
                        ORDER_TYPE,
                        order.maker,
                        order.tokenIn,
                        order.tokenOut,
                        order.amountIn,
                        order.amountOut,
                        order.expiry,
                        order.nonce,
                        order.partialFill
                    )
                )
            );
    }

    /// @dev A token that takes a part of what it transfers would leave the maker with less than it signed for.
    function _pay(MakerOrder calldata order, uint256 amountIn, uint256 amountOut, address recipient) private {
        IERC20 tokenIn = IERC20(order.tokenIn);
        uint256 before = tokenIn.balanceOf(order.maker);
        tokenIn.safeTransferFrom(msg.sender, order.maker, amountIn);
        uint256 paid = tokenIn.balanceOf(order.maker) - before;
        if (paid < amountIn) revert MakerUnderpaid(amountIn, paid);
        IERC20(order.tokenOut).safeTransferFrom(order.maker, recipient, amountOut);
    }

    function _outputOf(MakerOrder calldata order, uint256 amountIn) private pure returns (uint256) {
        return Math.mulDiv(amountIn, order.amountOut, order.amountIn);
    }

    /// @dev An account with code may still sign by its key (EIP-7702), so the key is tried first.
    function _isSignedByKey(address maker, bytes32 hash, bytes calldata signature) private pure returns (bool) {
        (address signer, ECDSA.RecoverError problem, ) = ECDSA.tryRecover(hash, signature);
        return problem == ECDSA.RecoverError.NoError && signer == maker;
    }

    function _isSignedByCode(address maker, bytes32 hash, bytes calldata signature) private view returns (bool) {
        return maker.code.length != 0 && SignatureChecker.isValidERC1271SignatureNow(maker, hash, signature);
    }
}
