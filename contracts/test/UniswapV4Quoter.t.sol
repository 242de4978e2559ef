// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {QuotedSwaps} from "../src/helpers/QuotedSwaps.sol";
import {IClaims, UniswapV4Quoter} from "../src/helpers/UniswapV4Quoter.sol";
import {IPoolManager, PoolKey, UniswapV4Swapper} from "../src/helpers/UniswapV4Swapper.sol";
import {Base} from "./Base.sol";
import {PoolManager} from "./mocks/PoolManager.sol";
import {MockToken} from "./mocks/Tokens.sol";

/// @dev The manager of the mocks, whose pools share one depth: each swap gives less than the one before, and hooks may act.
contract HookedManager is PoolManager {
    uint256 private constant DEPTH = 1_000 ether;
    mapping(bool zeroForOne => uint256) private sold;
    mapping(address owner => mapping(uint256 id => uint256)) private claims;

    /// As the real one says that hooks have thrown.
    error WrappedError(address target, bytes4 selector, bytes reason, bytes details);

    function mint(address owner, uint256 id, uint256 amount) external {
        claims[owner][id] += amount;
    }

    function balanceOf(address owner, uint256 id) external view returns (uint256) {
        return claims[owner][id];
    }

    function output(bool zeroForOne, PoolKey memory key, uint256 amountIn) internal override returns (uint256 amountOut) {
        uint256 gone = sold[zeroForOne];
        sold[zeroForOne] = gone + amountIn;
        amountOut = (DEPTH * amountIn * DEPTH) / ((DEPTH + gone) * (DEPTH + gone + amountIn));
        if (key.hooks != address(0)) amountOut -= _kept(Hook(key.hooks), amountOut);
    }

    function _kept(Hook hooks, uint256 amountOut) private returns (uint256) {
        try hooks.take(amountOut) returns (uint256 kept) {
            return kept;
        } catch (bytes memory reason) {
            revert WrappedError(address(hooks), Hook.take.selector, reason, "");
        }
    }
}

interface Hook {
    /// @return kept What the hooks keep of the output.
    function take(uint256 amountOut) external returns (uint256 kept);
}

/// @dev Keeps a part for everybody, and more for whoever it does not know.
contract KeepingHook is Hook {
    address private immutable KNOWN;

    constructor(address origin) {
        KNOWN = origin;
    }

    function take(uint256 amountOut) external view returns (uint256) {
        return tx.origin == KNOWN ? amountOut / 100 : amountOut / 2;
    }
}

contract BurningHook is Hook {
    uint256 private immutable BURNT;

    constructor(uint256 amount) {
        BURNT = amount;
    }

    function take(uint256) external view returns (uint256) {
        uint256 start = gasleft();
        while (start - gasleft() < BURNT) {}
        return 0;
    }
}

/// @dev Throws what the quoter itself throws, with results of its own making.
contract ForgingHook is Hook {
    function take(uint256) external pure returns (uint256) {
        QuotedSwaps.Result[] memory results = new QuotedSwaps.Result[](1);
        results[0] = QuotedSwaps.Result({spent: 1 ether, amountOut: 1_000 ether, gasUsed: 1});
        revert QuotedSwaps.Swapped(results);
    }
}

/// @dev Calls the quoter again while it quotes, by both of its doors.
contract ReenteringHook is Hook {
    PoolManager private immutable MANAGER;
    UniswapV4Quoter private immutable QUOTER;
    PoolKey private key;

    constructor(PoolManager of_, UniswapV4Quoter by) {
        (MANAGER, QUOTER) = (of_, by);
    }

    function aim(PoolKey calldata pool_) external {
        key = pool_;
    }

    function take(uint256 amountOut) external returns (uint256) {
        UniswapV4Quoter.Swap[][] memory rows = new UniswapV4Quoter.Swap[][](1);
        rows[0] = new UniswapV4Quoter.Swap[](1);
        rows[0][0] = UniswapV4Quoter.Swap({zeroForOne: true, amountIn: 1 ether});
        // The manager is unlocked already: nothing is quoted, and no swap is added to that of the caller.
        QuotedSwaps.Result[][] memory results = QUOTER.quote(IPoolManager(address(MANAGER)), key, rows, 300_000);
        require(results[0].length == 0, "it quoted while it was unlocked");
        (bool ok, bytes memory reason) = address(QUOTER).call(
            abi.encodeCall(UniswapV4Quoter.unlockCallback, (abi.encode(key, rows[0])))
        );
        require(!ok && reason.length < 4, "the callback swapped for somebody else");
        return amountOut / 10;
    }
}

contract UniswapV4QuoterTest is Base {
    uint256 private constant GAS = 1_000_000;
    UniswapV4Quoter private quoter = UniswapV4Quoter(deployShipped("UniswapV4Quoter"));
    UniswapV4Swapper private swapper = UniswapV4Swapper(payable(deployShipped("UniswapV4Swapper")));
    HookedManager private manager = new HookedManager();

    function setUp() public override {
        super.setUp();
        weth.transfer(address(manager), 1_000 ether);
        usdc.mint(address(manager), 1_000 ether);
    }

    function key(address hooks) private view returns (PoolKey memory) {
        (address a, address b) = (address(weth), address(usdc));
        (address currency0, address currency1) = a < b ? (a, b) : (b, a);
        return PoolKey({currency0: currency0, currency1: currency1, fee: 500, tickSpacing: 10, hooks: hooks});
    }

    function row(bool zeroForOne, uint256[] memory amounts) private pure returns (UniswapV4Quoter.Swap[] memory swaps) {
        swaps = new UniswapV4Quoter.Swap[](amounts.length);
        for (uint256 i; i < amounts.length; ++i) swaps[i] = UniswapV4Quoter.Swap(zeroForOne, amounts[i]);
    }

    function list(uint256 a) private pure returns (uint256[] memory amounts) {
        amounts = new uint256[](1);
        amounts[0] = a;
    }

    function list(uint256 a, uint256 b) private pure returns (uint256[] memory amounts) {
        amounts = new uint256[](2);
        (amounts[0], amounts[1]) = (a, b);
    }

    function quote(
        address hooks,
        UniswapV4Quoter.Swap[][] memory rows
    ) private returns (QuotedSwaps.Result[][] memory) {
        return quoter.quote(IPoolManager(address(manager)), key(hooks), rows, GAS);
    }

    /// @dev One swap; no result where it fails.
    function quoteOne(address hooks, bool zeroForOne, uint256 amountIn) private returns (QuotedSwaps.Result[] memory) {
        UniswapV4Quoter.Swap[][] memory rows = new UniswapV4Quoter.Swap[][](1);
        rows[0] = row(zeroForOne, list(amountIn));
        return quote(hooks, rows)[0];
    }

    /// @dev What the swap gives that a user sends.
    function swapFor(address hooks, bool zeroForOne, uint256 amountIn) private returns (uint256) {
        PoolKey memory pool_ = key(hooks);
        MockToken tokenIn = MockToken(zeroForOne ? pool_.currency0 : pool_.currency1);
        tokenIn.transfer(address(swapper), amountIn);
        return swapper.swap(IPoolManager(address(manager)), pool_, zeroForOne, receiver, "");
    }

    function give(uint256 amount) private {
        usdc.mint(address(this), amount);
    }

    function testFuzz_aQuoteIsWhatTheSwapThenGives(uint256 amount, bool zeroForOne, bool isHooked) public {
        amount = 1e6 + (amount % 100 ether);
        give(amount);
        address hooks = isHooked ? address(new KeepingHook(tx.origin)) : address(0);
        QuotedSwaps.Result[] memory quoted = quoteOne(hooks, zeroForOne, amount);
        assertEq(quoted.length, 1, "results");
        assertEq(quoted[0].spent, amount, "spent");
        assertTrue(quoted[0].gasUsed > 0 && quoted[0].gasUsed < GAS, "gas");
        assertEq(swapFor(hooks, zeroForOne, amount), quoted[0].amountOut, "what the swap gives");
    }

    function test_rowsStartAnewAndSwapsOfARowFollowEachOther() public {
        give(10 ether);
        UniswapV4Quoter.Swap[][] memory rows = new UniswapV4Quoter.Swap[][](3);
        rows[0] = row(true, list(1 ether, 2 ether));
        rows[1] = row(true, list(1 ether));
        rows[2] = row(true, list(3 ether));
        QuotedSwaps.Result[][] memory quoted = quote(address(0), rows);
        assertEq(quoted[1][0].amountOut, quoted[0][0].amountOut, "each row starts anew");
        uint256 both = quoted[0][0].amountOut + quoted[0][1].amountOut;
        assertTrue(quoted[0][1].amountOut < 2 * quoted[0][0].amountOut, "the second swap meets what the first has left");
        assertTrue(quoted[2][0].amountOut - both <= 1, "as much as one swap of both");
        assertEq(swapFor(address(0), true, 1 ether), quoted[0][0].amountOut, "the first swap");
        assertEq(swapFor(address(0), true, 2 ether), quoted[0][1].amountOut, "the second swap");
    }

    function test_aQuoteLeavesNothingBehind() public {
        uint256 before = quoteOne(address(0), true, 5 ether)[0].amountOut;
        assertEq(quoteOne(address(0), true, 5 ether)[0].amountOut, before, "the second quote");
        assertEq(weth.balanceOf(address(quoter)) + usdc.balanceOf(address(quoter)), 0, "tokens in the quoter");
        assertEq(weth.balanceOf(address(manager)), 1_000 ether, "tokens of the manager");
    }

    function test_whatThePoolDoesNotTakeIsNotSpent() public {
        manager.setCap(0.4 ether);
        assertEq(quoteOne(address(0), true, 1 ether)[0].spent, 0.4 ether, "spent");
    }

    function test_aHookThatBurnsGasIsQuotedWithItsGasOrNotAtAll() public {
        QuotedSwaps.Result[] memory cheap = quoteOne(address(0), true, 1 ether);
        QuotedSwaps.Result[] memory dear = quoteOne(address(new BurningHook(400_000)), true, 1 ether);
        assertEq(dear[0].amountOut, cheap[0].amountOut, "it takes gas alone");
        assertTrue(dear[0].gasUsed > cheap[0].gasUsed + 400_000, "gas of the hook");
        UniswapV4Quoter.Swap[][] memory rows = new UniswapV4Quoter.Swap[][](2);
        rows[0] = row(true, list(1 ether));
        rows[1] = row(false, list(1 ether, 1 ether));
        address endless = address(new BurningHook(type(uint256).max));
        uint256 start = gasleft();
        QuotedSwaps.Result[][] memory quoted = quote(endless, rows);
        assertEq(quoted[0].length + quoted[1].length, 0, "nothing is quoted");
        assertTrue(start - gasleft() < 3 * GAS + 300_000, "no more gas than that of its swaps");
    }

    function test_oneSwapThatFailsLeavesTheOtherRowsAsTheyAre() public {
        UniswapV4Quoter.Swap[][] memory rows = new UniswapV4Quoter.Swap[][](3);
        rows[0] = row(true, list(1 ether));
        // No amount is as large as that.
        rows[1] = row(true, list(1 ether, type(uint256).max));
        rows[2] = row(false, list(1 ether));
        QuotedSwaps.Result[][] memory quoted = quote(address(0), rows);
        assertEq(quoted[0].length, 1, "before");
        assertEq(quoted[1].length, 0, "the row that fails");
        assertEq(quoted[2].length, 1, "behind");
    }

    function test_aHookThatThrowsWhatTheQuoterThrowsIsNotBelieved() public {
        QuotedSwaps.Result[] memory quoted = quoteOne(address(new ForgingHook()), true, 1 ether);
        assertEq(quoted.length, 0, "its own results");
    }

    function test_aHookThatLiesBySenderIsSeenByTwoSenders() public {
        address hooks = address(new KeepingHook(user));
        uint256 plain = quoteOne(address(0), true, 1 ether)[0].amountOut;
        vm.prank(address(this), user);
        assertEq(quoteOne(hooks, true, 1 ether)[0].amountOut, plain - plain / 100, "whom it knows");
        vm.prank(address(this), stranger);
        assertEq(quoteOne(hooks, true, 1 ether)[0].amountOut, plain - plain / 2, "anybody else");
    }

    function test_aHookThatCallsTheQuoterAgainChangesNothing() public {
        ReenteringHook hooks = new ReenteringHook(manager, quoter);
        hooks.aim(key(address(hooks)));
        uint256 plain = quoteOne(address(0), true, 1 ether)[0].amountOut;
        assertEq(quoteOne(address(hooks), true, 1 ether)[0].amountOut, plain - plain / 10, "its own swap alone");
    }

    function test_whatHooksHoldIsTheirTokensAndTheirClaims() public {
        address hooks = address(new KeepingHook(user));
        PoolKey memory pool_ = key(hooks);
        usdc.mint(hooks, 3 ether);
        manager.mint(hooks, uint160(address(usdc)), 4 ether);
        manager.mint(hooks, uint160(address(weth)), 5 ether);
        (bytes32 codeHash, uint256 held0, uint256 held1) = quoter.holdings(manager_(), pool_);
        (uint256 ofUsdc, uint256 ofWeth) = pool_.currency0 == address(usdc) ? (held0, held1) : (held1, held0);
        assertEq(uint256(codeHash), uint256(hooks.codehash), "code");
        assertEq(ofUsdc, 7 ether, "USDC");
        assertEq(ofWeth, 5 ether, "WETH");
    }

    function manager_() private view returns (IClaims) {
        return IClaims(address(manager));
    }
}
