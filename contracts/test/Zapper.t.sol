// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {UnexpectedCall} from "../src/Errors.sol";
import {NATIVE, Order} from "../src/Types.sol";
import {IUniswapV2Liquidity, UniswapV2Zapper} from "../src/helpers/UniswapV2Zapper.sol";
import {Base, Steps} from "./Base.sol";
import {HookedToken, MockToken, TaxedToken} from "./mocks/Tokens.sol";
import {V2LikePair} from "./mocks/Venues.sol";

/// @dev A pair with shares, as Uniswap V2 without the protocol's fee.
contract PairWithShares is V2LikePair, ERC20 {
    constructor(IERC20 a, IERC20 b) V2LikePair(a, b) ERC20("Shares", "LP") {}

    function mint(address to) external returns (uint256 liquidity) {
        (uint112 reserve0, uint112 reserve1, ) = this.getReserves();
        uint256 amount0 = token0.balanceOf(address(this)) - reserve0;
        uint256 amount1 = token1.balanceOf(address(this)) - reserve1;
        uint256 supply = totalSupply();
        if (supply == 0) liquidity = Math.sqrt(amount0 * amount1);
        else liquidity = Math.min((amount0 * supply) / reserve0, (amount1 * supply) / reserve1);
        require(liquidity > 0, "INSUFFICIENT_LIQUIDITY_MINTED");
        _mint(to, liquidity);
        sync();
    }

    function burn(address to) external returns (uint256 amount0, uint256 amount1) {
        uint256 shares = balanceOf(address(this));
        amount0 = (shares * token0.balanceOf(address(this))) / totalSupply();
        amount1 = (shares * token1.balanceOf(address(this))) / totalSupply();
        require(amount0 > 0 && amount1 > 0, "INSUFFICIENT_LIQUIDITY_BURNED");
        _burn(address(this), shares);
        token0.transfer(to, amount0);
        token1.transfer(to, amount1);
        sync();
    }
}

contract ZapperTest is Base {
    UniswapV2Zapper private zapper = UniswapV2Zapper(deployShipped("UniswapV2Zapper"));
    PairWithShares private pair;

    function setUp() public override {
        super.setUp();
        pair = open(weth, usdc, 100 ether, 300 ether);
        usdc.mint(address(this), 1_000 ether + 1e6);
    }

    /// @dev This test owns the first shares.
    function open(IERC20 a, MockToken b, uint256 amountA, uint256 amountB) private returns (PairWithShares made) {
        made = new PairWithShares(a, b);
        a.transfer(address(made), amountA);
        b.mint(address(made), amountB);
        made.mint(address(this));
    }

    function isFirst(PairWithShares pair_, IERC20 token) private view returns (bool) {
        return address(pair_.token0()) == address(token);
    }

    function zapIn(PairWithShares pair_, IERC20 tokenIn, IERC20 other, address to) private returns (uint256) {
        return
            zapper.zapIn(
                IUniswapV2Liquidity(address(pair_)),
                address(tokenIn),
                address(other),
                isFirst(pair_, tokenIn),
                30,
                to
            );
    }

    /// @dev What the rule "sell half" would mint.
    function halfRule(uint256 amountIn, uint256 reserveIn, uint256 reserveOut) private view returns (uint256) {
        uint256 sold = amountIn / 2;
        uint256 bought = (sold * 997 * reserveOut) / (reserveIn * 1000 + sold * 997);
        uint256 supply = pair.totalSupply();
        return
            Math.min(
                ((amountIn - sold) * supply) / (reserveIn + sold),
                (bought * supply) / (reserveOut - bought)
            );
    }

    function testFuzz_zapInMintsNoLessThanHalfAndHalfAndLeavesNothing(uint256 amount) public {
        amount = 1e6 + (amount % 1_000 ether);
        uint256 least = halfRule(amount, 100 ether, 300 ether);
        weth.transfer(address(zapper), amount);
        uint256 before = weth.balanceOf(address(this));
        uint256 liquidity = zapIn(pair, weth, usdc, receiver);
        assertEq(pair.balanceOf(receiver), liquidity, "what the receiver gained");
        // Proceeds are whole units of the other token: one of them mints this much.
        assertTrue(liquidity + 2 >= least, "less than half and half");
        assertEq(weth.balanceOf(address(zapper)) + usdc.balanceOf(address(zapper)), 0, "left in the helper");
        // At the price afterwards, at most 121 times that before, two units are worth less than this.
        assertTrue(weth.balanceOf(address(this)) - before <= 200, "dust beyond rounding");
    }

    function testFuzz_zapOutPaysWhatTheSharesAreMadeOf(uint256 shares) public {
        shares = 1e6 + (shares % (pair.totalSupply() / 2));
        uint256 own = (shares * 100 ether) / pair.totalSupply();
        uint256 other = ((shares * 300 ether) / pair.totalSupply()) * 997;
        uint256 left = 300 ether - (shares * 300 ether) / pair.totalSupply();
        uint256 bought = (other * (100 ether - own)) / (left * 1000 + other);
        pair.transfer(address(pair), shares);
        uint256 amountOut = zapper.zapOut(
            IUniswapV2Liquidity(address(pair)),
            address(weth),
            address(usdc),
            isFirst(pair, usdc),
            30,
            receiver
        );
        assertEq(amountOut, own + bought, "the pair's own formulas");
        assertEq(weth.balanceOf(receiver), amountOut, "what the receiver gained");
        assertEq(weth.balanceOf(address(zapper)) + usdc.balanceOf(address(zapper)), 0, "left in the helper");
    }

    function testFuzz_addUsesUpOneSideAndGivesTheOtherBack(uint256 a, uint256 b) public {
        a = 1e6 + (a % 999 ether);
        b = 1e6 + (b % 999 ether);
        weth.transfer(address(zapper), a);
        usdc.transfer(address(zapper), b);
        (uint256 wethBefore, uint256 usdcBefore) = (weth.balanceOf(address(this)), usdc.balanceOf(address(this)));
        uint256 supply = pair.totalSupply();
        bool isWethFirst = isFirst(pair, weth);
        uint256 liquidity = zapper.add(
            IUniswapV2Liquidity(address(pair)),
            address(isWethFirst ? IERC20(weth) : usdc),
            address(isWethFirst ? IERC20(usdc) : weth),
            receiver
        );
        uint256 expected = Math.min((a * supply) / 100 ether, (b * supply) / 300 ether);
        assertEq(liquidity, expected, "the smaller side");
        uint256 wethBack = weth.balanceOf(address(this)) - wethBefore;
        uint256 usdcBack = usdc.balanceOf(address(this)) - usdcBefore;
        assertTrue(wethBack == 0 || usdcBack == 0, "one side is used up");
        assertEq(weth.balanceOf(address(zapper)) + usdc.balanceOf(address(zapper)), 0, "left in the helper");
    }

    function test_addOpensAnEmptyPair() public {
        PairWithShares empty = new PairWithShares(weth, usdc);
        weth.transfer(address(zapper), 4 ether);
        usdc.transfer(address(zapper), 9 ether);
        uint256 liquidity = zapper.add(IUniswapV2Liquidity(address(empty)), address(weth), address(usdc), receiver);
        assertEq(liquidity, 6 ether, "the root of the product");
    }

    function test_dustComesBackToTheRefundReceiver() public {
        // One unit of the other token is worth a tenth of an ether.
        MockToken coarse = new MockToken();
        PairWithShares thin = open(weth, coarse, 100 ether, 1_000);
        bytes memory data = abi.encodeCall(
            UniswapV2Zapper.zapIn,
            (IUniswapV2Liquidity(address(thin)), address(weth), address(coarse), isFirst(thin, weth), 30, receiver)
        );
        bytes memory steps = Steps.pack(
            Steps.transfer(address(weth), address(zapper), Steps.balance(address(weth))),
            Steps.call(address(zapper), data)
        );
        Order memory order = paidBySteps(makeOrder(address(weth), 5.13 ether, address(thin), 1, steps));
        order.sweep = new address[](1);
        order.sweep[0] = address(weth);
        execute(order);
        assertTrue(weth.balanceOf(refund) > 0.001 ether, "the dust");
        assertEq(weth.balanceOf(address(zapper)) + coarse.balanceOf(address(zapper)), 0, "left in the helper");
        assertNothingLeft(user);
    }

    function test_taxedTokenIsZappedByWhatThePairReceives() public {
        TaxedToken taxed = new TaxedToken();
        PairWithShares own = new PairWithShares(taxed, usdc);
        taxed.mint(address(own), 100 ether);
        usdc.mint(address(own), 100 ether);
        own.mint(address(this));
        taxed.mint(address(this), 10 ether);
        taxed.transfer(address(zapper), 10 ether);
        uint256 liquidity = zapIn(own, taxed, usdc, receiver);
        assertTrue(liquidity > 4.7 ether && liquidity < 5 ether, "about 5 % of the pair, less taxes");
        assertEq(taxed.balanceOf(address(zapper)) + usdc.balanceOf(address(zapper)), 0, "left in the helper");
    }

    function test_cannotBeReenteredWhileItHoldsTokens() public {
        // The token that is bought calls the helper with a pair of the attacker's in the middle of the zap.
        HookedToken hook = new HookedToken();
        PairWithShares trap = new PairWithShares(weth, hook);
        weth.transfer(address(trap), 10 ether);
        hook.mint(address(trap), 10 ether);
        trap.mint(address(this));
        hook.arm(
            address(zapper),
            abi.encodeCall(UniswapV2Zapper.add, (IUniswapV2Liquidity(stranger), address(weth), address(weth), stranger))
        );
        weth.transfer(address(zapper), 1 ether);
        zapIn(trap, weth, hook, receiver);
        assertTrue(hook.called() && !hook.succeeded(), "re-entered");
        assertTrue(bytes4(hook.result()) == UnexpectedCall.selector, "refused for another reason");
    }
}
